import { onTestFinished } from 'vitest';

import type { Report } from '../../../src/cost/report.js';
import { Injector, type Conversation } from '../../../src/injector.js';
import type { Options } from '../../../src/options.js';
import { systemClock } from '../../../src/servers/clock.js';
import { keepLog, type LogLine } from '../../support/host.js';

/** An injector, its log and its reports. */
export interface AdapterHost {
  readonly injector: Injector;
  readonly conversation: Conversation;
  readonly log: readonly LogLine[];
  readonly reports: readonly Report[];
}

/** Starts a host without servers; it is closed when the test ends. */
export function startAdapterHost(options: Options = {}): AdapterHost {
  const { logger, lines } = keepLog();
  const reports: Report[] = [];
  const injector = new Injector(
    { logger, onReport: (report) => reports.push(report), ...options },
    { clock: systemClock, environment: {} },
  );
  onTestFinished(() => injector.close());
  return { injector, conversation: injector.conversation('chat'), log: lines, reports };
}

/** Every text in a value, in the order of its JSON. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** The blocks in a value: what each says after its frame. */
export function blocksIn(value: unknown): string[] {
  const start = '<system-reminder>\n# MCP Server Instructions\n\n';
  return textsIn(value)
    .filter((text) => text.startsWith(start))
    .map((text) => text.slice(start.length, -'\n</system-reminder>'.length));
}

/** What a block says that tells of one new server. */
export const tells = (id: string, text: string): string =>
  `The following MCP servers have provided instructions for how to use their tools and resources:\n\n## ${id}\n${text}`;
