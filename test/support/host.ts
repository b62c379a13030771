import Anthropic from '@anthropic-ai/sdk';
import { withInstructions } from '../../src/adapters/anthropic.js';
import { startMessagesEndpoint, type MessagesEndpoint } from '../../src/cli/demo/messages-endpoint.js';
import type { EndpointOptions } from '../../src/cli/demo/messages-endpoint.js';
import { Injector, type Conversation } from '../../src/injector.js';
import type { Report } from '../../src/cost/report.js';
import type { Options } from '../../src/options.js';
import { systemClock, type Clock } from '../../src/servers/clock.js';
import { onTestFinished } from 'vitest';

/** One line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly level: string; readonly event: string };

/** A host with a real Anthropic client, a Messages endpoint on loopback and a log that is kept. */
export interface TestHost {
  readonly injector: Injector;
  readonly conversation: Conversation;
  readonly claude: Anthropic;
  readonly endpoint: MessagesEndpoint;
  readonly log: readonly LogLine[];
  readonly reports: readonly Report[];
}

/** A logger that keeps its lines. */
export function keepLog(): { logger: NonNullable<Options['logger']>; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: Record<string, unknown>): void => {
      lines.push({ ...fields, level, event: String(fields['event']) });
    };
  return { logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }, lines };
}

/** Starts a host; everything is closed when the test ends. */
export async function startHost(
  options: Options & { readonly answer?: EndpointOptions['answer']; readonly clock?: Clock } = {},
  environment: Record<string, string> = {},
): Promise<TestHost> {
  const { answer, clock = systemClock, ...rest } = options;
  const endpoint = await startMessagesEndpoint(answer === undefined ? {} : { answer });
  onTestFinished(() => endpoint.close());
  const { logger, lines } = keepLog();
  const reports: Report[] = [];
  const injector = new Injector(
    // A loaded machine takes its time to start a process: tests wait for it, unless they say otherwise.
    { logger, onReport: (report) => reports.push(report), firstTurnWaitMs: 60_000, ...rest },
    { clock, environment },
  );
  onTestFinished(() => injector.close());
  const conversation = injector.conversation('chat');
  const plain = new Anthropic({ baseURL: endpoint.url, apiKey: 'test-key', maxRetries: 2 });
  return {
    injector,
    conversation,
    claude: withInstructions(plain, conversation),
    endpoint,
    log: lines,
    reports,
  };
}

export const MODEL = 'claude-opus-5-5';
