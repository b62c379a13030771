import type Anthropic from '@anthropic-ai/sdk';

import { takesMiddleware } from '../../adapters/anthropic/client.js';
import { UsageError } from '../command.js';

const NEEDED = 'the demo needs the Anthropic SDK, 0.101 or later: npm install @anthropic-ai/sdk@latest';

/**
 * Loads the Anthropic SDK, which is an optional peer of this package.
 *
 * @throws UsageError when it is not installed, or has no middleware yet
 */
export async function loadAnthropic(): Promise<typeof Anthropic> {
  const loaded = await load();
  if (!takesMiddleware(new loaded({ apiKey: 'none', logLevel: 'off' }))) throw new UsageError(NEEDED);
  return loaded;
}

async function load(): Promise<typeof Anthropic> {
  try {
    return (await import('@anthropic-ai/sdk')).default;
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(NEEDED, { cause: error });
  }
}
