// What else a host writes, against the types of the published package. Compiled, never run.
import type { Client } from '@modelcontextprotocol/client';
import { Keyv } from 'keyv';
import {
  admit,
  createInjector,
  fileStore,
  InstructionsError,
  memoryStore,
  render,
  type Admission,
  type Conversation,
  type Injector,
  type LedgerData,
  type LedgerStore,
  type LoggerLike,
  type Options,
  type Outcome,
  type Readiness,
  type Report,
  type Review,
  type ServerConfig,
  type ServerState,
  type ServerStatus,
} from 'mcp-instructions';
import { pino } from 'pino';

import { has, same } from './same.js';

declare const client: Client;

/** Every option of the documentation. */
const options: Required<Options> = {
  servers: { docs: { command: 'docs', instructions: { mode: 'user-only', maxChars: 10 } } },
  maxChars: 1,
  maxTokens: 1,
  maxTotalChars: 1,
  maxTotalTokens: 1,
  firstTurnWaitMs: 0,
  connectTimeoutMs: 1,
  refreshMs: 1000,
  maxParallel: 16,
  unavailableGraceMs: 0,
  protocol: { pin: '2026-07-28' },
  disabled: false,
  logLevel: 'silent',
  logger: pino(),
  store: memoryStore({ max: 2 }),
  storeTimeoutMs: 1,
  onReport: (report: Report) => void report.tokens.total,
  countWith: {
    messages: { countTokens: async ({ model }) => await Promise.resolve({ input_tokens: model.length }) },
  },
  policy: 'first-use',
  pins: { identity: 'sha256' },
  clientInfo: { name: 'host', version: '1' },
  capabilities: { roots: {} },
  onClient: (id: string, made: Client) => void [id, made],
};
// @ts-expect-error an option that there is not
createInjector({ maxLength: 1 });

/** Stores and loggers that hosts have already. */
const stores: readonly LedgerStore[] = [fileStore({ folder: 'ledgers' }), memoryStore(), new Keyv<string>()];
const logger: LoggerLike = console;

/** The façade. */
const injector: Injector = createInjector({ ...options, logger });
injector.adopt('sdk', client, { identity: 'sdk', instructions: true });
injector.adopt('text', { instructions: 'Ask first.' });
injector.adopt('later', async () => await Promise.resolve({ getInstructions: () => undefined }));
await injector.remove('text');
const ready: Readiness = await injector.ready({ waitMs: 10, signal: AbortSignal.timeout(5) });
const review: Review = await injector.review('docs');
if (review.sha256 !== undefined) await injector.approve('docs', review.sha256);

/** Connections. */
const { connections } = injector;
const all: readonly ServerStatus[] = connections.status();
const one: ServerStatus | undefined = connections.status('docs');
const tools: Client | undefined = connections.client('docs');
const config: ServerConfig = { url: new URL('https://example.com/mcp'), type: 'sse', required: true };
connections.add('more', config);
connections.set({ more: config });
await connections.reconnect('more');
await connections.refresh('more');
const off: () => void = connections.on('state', ({ id, state, previous }) => {
  void [id, previous];
  void describe(state);
});

/** One tagged state: every case is named, and there is no other. */
function describe(state: ServerState): string {
  switch (state.state) {
    case 'idle':
    case 'connecting':
    case 'removed':
      return state.state;
    case 'connected':
      return `${state.era} ${state.protocolVersion} over ${state.transport}`;
    case 'unavailable':
    case 'crash-looping':
    case 'failed':
    case 'needs-auth':
      return `${state.reason.kind}: ${state.reason.message}`;
  }
}

/** A conversation. */
const conversation: Conversation = injector.conversation('chat', { servers: ['docs'] });
injector.conversation(undefined, { servers: (id, request) => id !== '' && request !== null });
const ledger: LedgerData = conversation.toJSON();
injector.conversation('restored', { ledger });
const outcome: Outcome = { usage: {}, message: { id: 'msg', content: [] } };
const prepared = await conversation.prepare({ messages: [] }, { signal: null, record: false });
await prepared.commit(outcome);
await conversation.forget();

/** The pure parts. */
const admission: Admission = admit('text', { maxChars: 10 });
same<typeof admission.state, 'admitted' | 'absent' | 'blank' | 'invalid' | 'oversized'>(true);
const block = render({ added: [{ id: 'a', text: 'b' }], changed: [], restored: ['c'], removed: [] });
same<typeof block, string | undefined>(true);

/** The one error. */
const caught: unknown = undefined;
if (InstructionsError.isInstance(caught)) same<typeof caught.code extends string ? true : false, true>(true);

/** A report has these parts, and may get more. */
has<
  Report,
  'conversation' | 'model' | 'turn' | 'placed' | 'reason' | 'servers' | 'tokens' | 'pending' | 'withheld'
>();
has<
  Report['servers'][number],
  'id' | 'connection' | 'outcome' | 'change' | 'source' | 'chars' | 'keptChars' | 'lostChars' | 'sentChars'
>();
has<Report['servers'][number], 'flags' | 'tokens'>();
has<Report['tokens'], 'added' | 'carried' | 'wrapper' | 'total' | 'method'>();
same<
  Report['reason'],
  | 'placed'
  | 'no-news'
  | 'turn-already-sent'
  | 'history-changed'
  | 'no-place'
  | 'thread-unknown'
  | 'prefix-lost'
  | 'disabled'
>(true);
same<
  Report['servers'][number]['outcome'],
  | 'told'
  | 'pending'
  | 'absent'
  | 'blank'
  | 'invalid'
  | 'oversized'
  | 'withheld'
  | 'off'
  | 'excluded'
  | 'withdrawn'
>(true);
same<Report['servers'][number]['connection'], ServerState['state'] | 'adopted'>(true);
same<Report['servers'][number]['change'], 'added' | 'changed' | 'restored' | 'removed' | null>(true);
same<Report['tokens']['method'], 'rough' | 'estimated' | 'calibrated' | 'counted'>(true);

await using disposed: Injector = createInjector();

export type { all, disposed, off, one, ready, stores, tools };
