import type Anthropic from '@anthropic-ai/sdk';

import { UsageError } from '../command.js';

/**
 * Loads the Anthropic SDK, which is an optional peer of this package.
 *
 * @throws UsageError when it is not installed
 */
export async function loadAnthropic(): Promise<typeof Anthropic> {
  try {
    return (await import('@anthropic-ai/sdk')).default;
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = 'the demo needs the Anthropic SDK: npm install @anthropic-ai/sdk';
    throw new UsageError(message, { cause: error });
  }
}
