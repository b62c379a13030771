import { expect, test } from 'vitest';

import { TRUNCATION_MARKER } from '../../src/instructions/cap.js';
import type { AdoptOptions } from '../../src/injector/adopted-sources.js';
import { lab } from '../servers/support/lab.js';
import { MODEL, startHost } from '../support/host.js';

const theirs = 'Search before you answer. '.repeat(100);
const ours = 'Our words. '.repeat(300);

interface Row {
  readonly what: string;
  readonly options: AdoptOptions;
  /** The text under the server's heading; `undefined` when there is none. */
  readonly told: string | undefined;
  readonly report: Readonly<Record<string, unknown>>;
}

const cut = (text: string, chars: number): string => text.slice(0, chars) + TRUNCATION_MARKER;

const rows: readonly Row[] = [
  {
    what: 'nothing said: shown under the common limit',
    options: {},
    told: cut(theirs, 2048),
    report: {
      outcome: 'told',
      mode: 'full',
      source: 'SOURCE',
      keptChars: 2048,
      lostChars: 551,
      limit: 'maxChars',
    },
  },
  {
    what: 'instructions: true',
    options: { instructions: true },
    told: cut(theirs, 2048),
    report: { outcome: 'told', mode: 'full', source: 'SOURCE', limit: 'maxChars' },
  },
  {
    what: 'instructions: false',
    options: { instructions: false },
    told: undefined,
    report: {
      outcome: 'off',
      mode: 'off',
      source: 'SOURCE',
      change: null,
      sentChars: 0,
      tokens: 0,
    },
  },
  {
    what: 'instructions: an override, cut like any other text',
    options: { instructions: ours },
    told: cut(ours, 2048),
    report: {
      outcome: 'told',
      mode: 'full',
      source: 'override',
      chars: ours.length,
      keptChars: 2048,
      limit: 'maxChars',
    },
  },
  {
    what: 'instructions: a short override',
    options: { instructions: 'Ask a person.' },
    told: 'Ask a person.',
    report: { outcome: 'told', mode: 'full', source: 'override', chars: 13, lostChars: 0, limit: null },
  },
  {
    what: 'instructions: an empty override',
    options: { instructions: '' },
    told: undefined,
    report: { outcome: 'absent', mode: 'full', source: 'override', chars: 0 },
  },
  {
    what: 'maxChars of this server',
    options: { maxChars: 512 },
    told: cut(theirs, 512),
    report: { outcome: 'told', mode: 'full', keptChars: 512, lostChars: 2087, limit: 'maxChars' },
  },
  {
    what: 'maxChars of this server, above the common one',
    options: { maxChars: 10_000 },
    told: theirs.trim(),
    report: { outcome: 'told', mode: 'full', lostChars: 0, limit: null },
  },
  {
    what: 'an object, whose limit goes first',
    options: { instructions: { mode: 'full', maxChars: 100 }, maxChars: 512 },
    told: cut(theirs, 100),
    report: { outcome: 'told', mode: 'full', keptChars: 100, limit: 'maxChars' },
  },
  {
    what: 'an object with a limit in tokens',
    options: { instructions: { maxTokens: 5 } },
    told: cut(theirs, 25),
    report: { outcome: 'told', mode: 'full', keptChars: 25, limit: 'maxTokens' },
  },
  {
    what: 'user-only: kept for people',
    options: { instructions: { mode: 'user-only' } },
    told: undefined,
    report: { outcome: 'off', mode: 'user-only', source: 'SOURCE', chars: 2600, change: null, sentChars: 0 },
  },
  {
    what: 'off',
    options: { instructions: { mode: 'off' } },
    told: undefined,
    report: { outcome: 'off', mode: 'off', change: null, sentChars: 0 },
  },
];

function textUnder(block: unknown, id: string): string | undefined {
  if (typeof block !== 'string') return undefined;
  const heading = `\n## ${id}\n`;
  const at = block.indexOf(heading);
  return at < 0 ? undefined : block.slice(at + heading.length, -'\n</system-reminder>'.length);
}

for (const kind of ['configured', 'adopted'] as const) {
  test.each(rows)(`${kind}: $what`, async ({ options, told, report }) => {
    const host = await startHost(
      kind === 'configured' ? { servers: { docs: { ...lab({ text: theirs }), ...options } } } : {},
    );
    if (kind === 'adopted') host.injector.adopt('docs', { instructions: theirs }, options);
    const prepared = await host.conversation.prepare({
      model: MODEL,
      messages: [{ role: 'user', content: 'hello' }],
    });
    const content = prepared.request.messages[0]?.content;
    const block: unknown = typeof content === 'string' ? undefined : content?.[0]?.['text'];
    expect(textUnder(block, 'docs')).toBe(told);
    const source = kind === 'configured' ? 'discover' : 'adopted';
    const expected = { ...report, ...(report['source'] === 'SOURCE' ? { source } : {}) };
    expect(prepared.report.servers).toMatchObject([{ id: 'docs', ...expected }]);
    const cuts = host.log.filter(({ event }) => event === 'instructions-truncated');
    expect(cuts.map(({ level, limit }) => [level, limit])).toEqual(
      typeof report['limit'] === 'string' ? [['warn', report['limit']]] : [],
    );
  });
}

test('one host, four choices: each is in the report', async () => {
  const host = await startHost();
  host.injector.adopt('a', { instructions: theirs });
  host.injector.adopt('b', { instructions: theirs }, { instructions: false });
  host.injector.adopt('c', { instructions: theirs }, { instructions: ours });
  host.injector.adopt('d', { instructions: theirs }, { maxChars: 512 });
  // Tools of `a` are not offered to this model, and so neither are its instructions.
  const offered = new Set(['b', 'c', 'd']);
  const conversation = host.injector.conversation('chat', { servers: (id) => offered.has(id) });
  const { report } = await conversation.prepare({
    model: MODEL,
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(
    report.servers.map(({ id, outcome, source, keptChars, lostChars, limit, mode }) => ({
      id,
      outcome,
      source,
      keptChars,
      lostChars,
      limit,
      mode,
    })),
  ).toEqual([
    {
      id: 'a',
      outcome: 'excluded',
      source: 'adopted',
      keptChars: 2048,
      lostChars: 551,
      limit: 'maxChars',
      mode: 'full',
    },
    {
      id: 'b',
      outcome: 'off',
      source: 'adopted',
      keptChars: 2048,
      lostChars: 551,
      limit: 'maxChars',
      mode: 'off',
    },
    {
      id: 'c',
      outcome: 'told',
      source: 'override',
      keptChars: 2048,
      lostChars: 1251,
      limit: 'maxChars',
      mode: 'full',
    },
    {
      id: 'd',
      outcome: 'told',
      source: 'adopted',
      keptChars: 512,
      lostChars: 2087,
      limit: 'maxChars',
      mode: 'full',
    },
  ]);
});

test('a text for people only can be reviewed', async () => {
  const host = await startHost();
  host.injector.adopt('docs', { instructions: theirs }, { instructions: { mode: 'user-only' } });
  expect(await host.injector.review('docs')).toMatchObject({
    mode: 'user-only',
    text: theirs,
    withheld: false,
  });
});
