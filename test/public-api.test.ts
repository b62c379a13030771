import { fileURLToPath } from 'node:url';

import { describe, expect, test } from 'vitest';

import * as aiSdk from '../src/adapters/ai-sdk.js';
import * as anthropic from '../src/adapters/anthropic.js';
import * as openai from '../src/adapters/openai.js';
import * as root from '../src/index.js';
import * as testing from '../src/testing.js';
import { docBefore, membersOf, publicNames, typesInSignature } from './support/source/public-surface.js';
import { parseSource } from './support/source/parse-source.js';
import { readTree } from './support/source/read-tree.js';

const tree = new Map(
  readTree(fileURLToPath(new URL('../src', import.meta.url))).map((source) => [source.path, source]),
);

/** Every entry: its module, what it gives at run time, and its names. A name here is a promise; taking one away is a breaking change. */
const entries = [
  {
    entry: 'index.ts',
    loaded: root as object,
    values: [
      'InstructionsError',
      'admit',
      'createInjector',
      'defineFormat',
      'fileStore',
      'formatReportLine',
      'formatReportTable',
      'memoryStore',
      'readConfigFile',
      'render',
    ],
    types: [
      'Admission',
      'AdmissionState',
      'AdmitSettings',
      'AdoptOptions',
      'AdoptedSource',
      'Answer',
      'AnswerParts',
      'AnthropicContext',
      'AnthropicMiddleware',
      'AnthropicRequest',
      'AnyRequest',
      'AssistantTurn',
      'Audience',
      'Awaitable',
      'CommonServerOptions',
      'ConfigFile',
      'ConfigFileOptions',
      'ConnectedState',
      'ConnectingState',
      'ConnectionEvents',
      'ConnectionListener',
      'ConnectionManager',
      'Conversation',
      'ConversationOptions',
      'CountMethod',
      'CountingClient',
      'CrashLoopingState',
      'Delta',
      'DeltaSection',
      'Digest',
      'Era',
      'FailedState',
      'Failure',
      'FailureKind',
      'FileStoreOptions',
      'Flag',
      'FlagCounts',
      'FormatOptions',
      'FormatShape',
      'HttpServerConfig',
      'IdleState',
      'Injector',
      'InlineObject',
      'InlineValue',
      'InstructionsErrorCode',
      'InstructionsLimit',
      'InstructionsMode',
      'InstructionsOptions',
      'InstructionsRecord',
      'InstructionsSource',
      'InstructionsSourceObject',
      'LedgerData',
      'LedgerStore',
      'LogLevel',
      'LogLevelSetting',
      'LogMethod',
      'LoggerLike',
      'MemoryStore',
      'MemoryStoreOptions',
      'MessageRole',
      'MessagesBlock',
      'MessagesMessage',
      'MessagesRequest',
      'NeedsAuthState',
      'NotCounted',
      'Options',
      'Outcome',
      'Placement',
      'PrepareOptions',
      'Prepared',
      'ProcessTrace',
      'Protocol',
      'Readiness',
      'Reading',
      'ReadyOptions',
      'RemovedState',
      'Report',
      'ReportReason',
      'RequestFormat',
      'Review',
      'ServerChange',
      'ServerConfig',
      'ServerDisplayInfo',
      'ServerOutcome',
      'ServerReport',
      'ServerState',
      'ServerStatus',
      'StdioServerConfig',
      'TokenReport',
      'TrustPolicy',
      'TrustState',
      'UnavailableState',
      'UserTurn',
      'VariableSource',
    ],
  },
  {
    entry: 'adapters/anthropic.ts',
    loaded: anthropic as object,
    values: ['withInstructions'],
    types: ['AnthropicClient'],
  },
  {
    entry: 'adapters/ai-sdk.ts',
    loaded: aiSdk as object,
    values: ['forConversation', 'instructionsMiddleware', 'promptFormat'],
    types: [
      'CallParams',
      'ConversationOption',
      'InstructionsMiddleware',
      'ModelLike',
      'PromptMessage',
      'PromptPart',
      'PromptRequest',
    ],
  },
  {
    entry: 'adapters/openai.ts',
    loaded: openai as object,
    values: ['chatFormat', 'prepareChat', 'prepareResponses', 'responsesFormat', 'withInstructionsFetch'],
    types: [
      'ChatMessage',
      'ChatPart',
      'ChatRequest',
      'Fetch',
      'FetchOptions',
      'InlineObject',
      'InlineValue',
      'PrepareOpenAIOptions',
      'ResponsesItem',
      'ResponsesPart',
      'ResponsesRequest',
    ],
  },
  {
    entry: 'testing.ts',
    loaded: testing as object,
    values: ['requestFormatContract'],
    types: ['ContractCheck', 'ContractSubject', 'RequestFormat', 'ScriptedTurn'],
  },
];

/** What hosts pass on and never look into: the parts of a stored ledger. */
const OPAQUE = ['Anchor', 'LedgerBlock', 'LedgerEntry', 'LedgerThread'];

const publicOf = (entry: string) => publicNames(entry, tree);
const everyName = entries.flatMap(({ entry }) => publicOf(entry));

describe.each(entries)('$entry', ({ entry, loaded, values, types }) => {
  const named = (kind: 'value' | 'type'): string[] =>
    publicOf(entry)
      .filter((name) => name.kind === kind)
      .map(({ name }) => name)
      .sort();

  test('exports these values', () => {
    expect(Object.keys(loaded).sort()).toEqual(values);
    expect(named('value')).toEqual(values);
  });

  test('exports these types', () => {
    expect(named('type')).toEqual(types);
  });

  test('has a doc comment for every name', () => {
    const silent = publicOf(entry).filter(({ source, start }) => !docBefore(source, start));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test('speaks of no type that a host cannot name', () => {
    const known = new Set([...everyName.map(({ name }) => name), ...OPAQUE]);
    const hidden = publicOf(entry).flatMap((name) =>
      [...typesInSignature(name, tree)]
        .filter((type) => !known.has(type))
        .map((type) => `${name.name}: ${type}`),
    );
    expect(hidden).toEqual([]);
  });

  test('has no adapter beside it that is not listed', () => {
    const adapters = [...tree.keys()].filter((path) => /^adapters\/[^/]+\.ts$/.test(path));
    expect(entries.map((listed) => listed.entry).sort()).toEqual([...adapters, 'index.ts', 'testing.ts']);
  });
});

describe('members', () => {
  const isSettable = (name: string): boolean => /Options$|Config$|Settings$/.test(name);
  const settable = everyName.filter(({ name }) => isSettable(name)).flatMap(membersOf);
  const methods = everyName
    .filter(({ declaration }) => declaration.type === 'ClassDeclaration')
    .flatMap(membersOf);
  const undocumented = (members: typeof methods): string[] => {
    const documented = new Set(members.filter(({ doc }) => doc !== undefined).map(({ name }) => name));
    return members.map(({ name }) => name).filter((name) => !documented.has(name));
  };

  test('of everything that can be set have a doc comment', () => {
    expect(settable.length).toBeGreaterThan(40);
    expect(undocumented(settable)).toEqual([]);
  });

  test('of every class have a doc comment', () => {
    expect(methods.map(({ name }) => name)).toContain('Conversation.prepare');
    expect(methods.map(({ name }) => name)).not.toContain('Conversation.prepareCall');
    expect(undocumented(methods)).toEqual([]);
  });

  test('of Options say what applies without them', () => {
    const options = settable.filter(({ name }) => name.startsWith('Options.'));
    expect(options.length).toBeGreaterThan(15);
    expect(options.filter(({ doc }) => !doc?.includes('@default'))).toEqual([]);
  });
});

describe('what these tests look with', () => {
  const planted = (text: string) => {
    const modules = [
      parseSource('index.ts', `export { make, type Made as Kept } from './made.js';`),
      parseSource('made.ts', text),
    ];
    return new Map(modules.map((source) => [source.path, source]));
  };
  const documented = planted(`
    import type { Part } from './part.js';
    /** Makes. */
    export function make(): Made { const inner: Inner = {}; return inner; }
    /** Made. */
    export interface Made { readonly inner?: Inner }
    interface Inner {}`);
  const silent = planted(`
    /** Of something else. */
    const other = 1;
    export const make = () => other;
    // Not a doc comment.
    export class Made { #hidden: Inner; constructor(of: Inner) {} /** @internal */ own(of: Inner): void {} }
    interface Inner {}`);

  test('finds the declaration behind a re-export, and its comment', () => {
    const names = publicNames('index.ts', documented);
    expect(names.map(({ name, kind }) => `${kind} ${name}`)).toEqual(['value make', 'type Kept']);
    expect(names.map(({ source, start }) => docBefore(source, start))).toEqual(['Makes.', 'Made.']);
  });

  test('finds what a signature speaks of, and passes over bodies, private parts and constructors', () => {
    const types = publicNames('index.ts', documented).map((name) => typesInSignature(name, documented));
    expect(types).toEqual([new Set(['Made']), new Set(['Inner'])]);
    const none = publicNames('index.ts', silent).map((name) => typesInSignature(name, silent));
    expect(none).toEqual([new Set(), new Set()]);
  });

  test('notices a missing comment, and takes none from a neighbour', () => {
    const names = publicNames('index.ts', silent);
    expect(names.map(({ source, start }) => docBefore(source, start))).toEqual([undefined, undefined]);
  });

  test('refuses a wildcard and a name that leads nowhere', () => {
    const wild = parseSource('index.ts', `export * from './made.js';`);
    expect(() => publicNames('index.ts', new Map([['index.ts', wild]]))).toThrow('written out');
    expect(() => publicNames('index.ts', planted('export const other = 1;'))).toThrow('leads nowhere');
  });
});
