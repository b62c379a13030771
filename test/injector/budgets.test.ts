import { describe, expect, test, vi } from 'vitest';

import { loadEncoding } from '../../src/cost/encoding.js';
import { O200k } from '../../src/cost/o200k.js';
import { runAtOnce } from '../../src/cost/pause.js';
import { TokenCounter } from '../../src/cost/token-counter.js';
import { BackgroundWork } from '../../src/injector/background-work.js';
import { TokenFits } from '../../src/injector/token-fits.js';
import { TRUNCATION_MARKER } from '../../src/instructions/cap.js';
import type { Options } from '../../src/options.js';
import { systemClock } from '../../src/servers/clock.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';

const o200k = runAtOnce(O200k.build(await loadEncoding()));

const english = (chars: number): string =>
  'Call the search tool first, and cite what it gives. '.repeat(Math.ceil(chars / 52)).slice(0, chars);

interface Told {
  readonly texts: Readonly<Record<string, string>>;
  readonly report: TestHost['reports'][number];
  readonly bytes: string;
}

/** What a request carries, by server. */
async function tell(host: TestHost, turns: number, conversation = host.conversation): Promise<Told> {
  const messages = Array.from({ length: turns * 2 - 1 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `message ${index}`,
  }));
  const { request, report } = await conversation.prepare({ model: MODEL, messages });
  const texts: Record<string, string> = {};
  for (const message of request.messages) {
    if (typeof message.content === 'string') continue;
    const block: unknown = message.content[0]?.['text'];
    if (typeof block !== 'string' || !block.startsWith('<system-reminder>')) continue;
    const sections = block
      .slice(0, -'\n</system-reminder>'.length)
      .split(/\n\n?## /)
      .slice(1);
    for (const section of sections) {
      const end = section.indexOf('\n');
      texts[section.slice(0, end)] = section.slice(end + 1);
    }
  }
  return { texts, report, bytes: JSON.stringify(request.messages) };
}

const keptOf = ({ report }: Told): Record<string, number> =>
  Object.fromEntries(report.servers.map(({ id, keptChars }) => [id, keptChars]));

async function hostWith(texts: Readonly<Record<string, string>>, options: Options): Promise<TestHost> {
  const host = await startHost(options);
  for (const [id, instructions] of Object.entries(texts)) host.injector.adopt(id, { instructions });
  return host;
}

const cuts = (host: TestHost) => host.log.filter(({ event }) => event === 'instructions-truncated');

describe('a total in characters', () => {
  test('the small one whole, the large ones equal, a late fourth changes no byte already told', async () => {
    const texts = { big: english(5000), huge: english(9000), small: english(300) };
    const host = await hostWith(texts, { maxTotalChars: 3000 });
    const first = await tell(host, 1);
    expect(keptOf(first)).toEqual({ big: 1350, huge: 1350, small: 300 });
    expect(first.texts['small']).toBe(texts.small);
    expect(first.texts['big']).toBe(texts.big.slice(0, 1350) + TRUNCATION_MARKER);
    expect(first.report.servers.map(({ limit }) => limit)).toEqual(['maxTotalChars', 'maxTotalChars', null]);
    expect(cuts(host)).toMatchObject([
      { level: 'warn', server: 'big', chars: 5000, keptChars: 1350, lostChars: 3650, limit: 'maxTotalChars' },
      {
        level: 'warn',
        server: 'huge',
        chars: 9000,
        keptChars: 1350,
        lostChars: 7650,
        limit: 'maxTotalChars',
      },
    ]);

    host.injector.adopt('fourth', { instructions: english(200) });
    const second = await tell(host, 2);
    expect(second.bytes.startsWith(first.bytes.slice(0, -1))).toBe(true);
    expect(second.report.servers.find(({ id }) => id === 'fourth')).toMatchObject({
      outcome: 'oversized',
      keptChars: 0,
      lostChars: 200,
      limit: 'maxTotalChars',
      change: null,
    });
    expect(cuts(host).at(-1)).toMatchObject({ server: 'fourth', keptChars: 0, lostChars: 200 });
  });

  test('newcomers share what is left, and a text that goes makes room', async () => {
    const host = await hostWith({ a: english(1000) }, { maxTotalChars: 2000 });
    expect(keptOf(await tell(host, 1))).toEqual({ a: 1000 });
    host.injector.adopt('b', { instructions: english(900) });
    host.injector.adopt('c', { instructions: english(900) });
    expect(keptOf(await tell(host, 2))).toEqual({ a: 1000, b: 500, c: 500 });
    await host.injector.remove('a');
    // Told texts keep their length although there is room now.
    expect(keptOf(await tell(host, 3))).toEqual({ a: 0, b: 500, c: 500 });
    host.injector.adopt('d', { instructions: english(1500) });
    expect(keptOf(await tell(host, 4))).toEqual({ a: 0, b: 500, c: 500, d: 1000 });
    // A changed text is a newcomer: its place is free, and it takes what it can get of it.
    host.injector.adopt('b', { instructions: `New: ${english(900)}` });
    expect(keptOf(await tell(host, 5))).toEqual({ a: 0, b: 500, c: 500, d: 1000 });
  });

  test('a server that is away for a while keeps its place; one that comes back gets its old length', async () => {
    const answers: Record<string, string | undefined> = { a: english(1500), b: english(1500) };
    const host = await startHost({ maxTotalChars: 2000 });
    for (const id of ['a', 'b']) host.injector.adopt(id, { getInstructions: () => answers[id] });
    const first = await tell(host, 1);
    expect(keptOf(first)).toEqual({ a: 1000, b: 1000 });
    answers['a'] = undefined;
    const away = await tell(host, 2);
    expect(away.report.servers[0]).toMatchObject({ change: 'removed' });
    answers['a'] = english(1500);
    expect((await tell(host, 3)).report.servers[0]).toMatchObject({ change: 'restored', keptChars: 1000 });
  });

  test('the same servers get the same shares, in whatever order they come and in every process', async () => {
    const texts: Record<string, string> = {
      a: english(4000),
      b: english(700),
      c: english(4000),
      d: english(90),
    };
    const options = { maxTotalChars: 2500 };
    const one = await tell(await hostWith(texts, options), 1);
    const other = await tell(
      await hostWith(Object.fromEntries(Object.entries(texts).toReversed()), options),
      1,
    );
    expect(other.bytes).toBe(one.bytes);
  });

  test('what is only looked at settles nothing', async () => {
    const host = await hostWith({ a: english(2000) }, { maxTotalChars: 2000 });
    await host.conversation.prepare(
      { model: MODEL, messages: [{ role: 'user', content: 'count me' }] },
      { record: false },
    );
    host.injector.adopt('b', { instructions: english(2000) });
    expect(keptOf(await tell(host, 1))).toEqual({ a: 1000, b: 1000 });
  });

  test('is one for each conversation: a latecomer changes no byte of an old one, and has its part in a new one', async () => {
    const host = await hostWith({ a: english(2000) }, { maxTotalChars: 2000 });
    const first = await tell(host, 1);
    host.injector.adopt('b', { instructions: english(2000) });
    const other = host.injector.conversation('other');
    expect(keptOf(await tell(host, 1, other))).toEqual({ a: 1000, b: 1000 });
    const later = await tell(host, 2);
    expect(later.texts).toEqual(first.texts);
    expect(keptOf(later)).toEqual({ a: 2000, b: 0 });
    expect(keptOf(await tell(host, 2, other))).toEqual({ a: 1000, b: 1000 });
  });

  test('holds when a text comes back and others took its place', async () => {
    const host = await hostWith({ a: english(2000) }, { maxTotalChars: 2000 });
    await tell(host, 1);
    await host.injector.remove('a');
    host.injector.adopt('b', { instructions: english(1500) });
    expect(keptOf(await tell(host, 2))).toMatchObject({ b: 1500 });
    host.injector.adopt('a', { instructions: english(2000) });
    const back = await tell(host, 3);
    expect(keptOf(back)).toEqual({ a: 500, b: 1500 });
    expect(back.report.servers[0]).toMatchObject({ id: 'a', change: 'changed', outcome: 'told' });
    expect(back.texts['a']).toHaveLength(500 + TRUNCATION_MARKER.length);
    await host.injector.remove('b');
    await tell(host, 4);
    // Now there is room again, and it keeps what it was told.
    expect((await tell(host, 5)).texts['a']).toBe(back.texts['a']);
  });

  test('is shared by the servers that a conversation is told about', async () => {
    const host = await hostWith({ a: english(2000), b: english(2000) }, { maxTotalChars: 2000 });
    expect(keptOf(await tell(host, 1))).toEqual({ a: 1000, b: 1000 });
    const one = host.injector.conversation('one', { servers: ['b'] });
    const told = await tell(host, 1, one);
    expect(Object.keys(told.texts)).toEqual(['b']);
    expect(keptOf(told)).toMatchObject({ b: 2000 });
    expect(told.report.servers[0]).toMatchObject({ id: 'a', outcome: 'excluded', chars: 2000 });
  });

  test('cuts like every other limit: no split character, no open fence', async () => {
    const host = await hostWith(
      { emoji: 'a'.repeat(99) + '👨‍👩‍👧‍👦'.repeat(9), fence: `\`\`\`\n${'x'.repeat(300)}` },
      { maxTotalChars: 200 },
    );
    const { texts } = await tell(host, 1);
    expect(texts['emoji']).toBe('a'.repeat(99) + TRUNCATION_MARKER);
    expect(texts['fence']).toBe(`\`\`\`\n${'x'.repeat(96)}${TRUNCATION_MARKER}\n\`\`\``);
  });
});

describe('limits in tokens', () => {
  const japanese = '検索ツールを最初に呼び出し、結果を引用してください。'.repeat(60);
  const rare = '\u{1f9ff}\u{1faac}龘驫'.repeat(400);
  const run = 'ab'.repeat(3000);

  test.each([
    ['English', english(4000)],
    ['Japanese', japanese],
    ['rare characters', rare],
    ['one long run', run],
    ['emoji of many parts', '👩🏽‍🚀'.repeat(300)],
    ['flags', '🇫🇷'.repeat(300)],
  ])('%s: as much as the tokens hold, and never more', async (_, text) => {
    for (const maxTokens of [1, 7, 100]) {
      const host = await hostWith({ a: text }, { maxTokens, maxChars: 4000 });
      const told = await tell(host, 1);
      const { keptChars = 0, limit, outcome } = told.report.servers[0] ?? {};
      const kept = text.slice(0, keptChars);
      expect(o200k.count(kept)).toBeLessThanOrEqual(maxTokens);
      expect(limit).toBe('maxTokens');
      if (keptChars === 0) expect(outcome).toBe('oversized');
      else expect(told.texts['a']).toBe(kept + TRUNCATION_MARKER);
      // A few more characters would be too much.
      expect(o200k.count(text.slice(0, keptChars + 140))).toBeGreaterThan(maxTokens);
    }
  });

  test('a server’s own limit goes first, and a text below it is whole', async () => {
    const host = await startHost({ maxTokens: 20 });
    host.injector.adopt('own', { instructions: english(400) }, { maxTokens: 50 });
    host.injector.adopt(
      'inner',
      { instructions: english(400) },
      { instructions: { maxTokens: 10 }, maxTokens: 50 },
    );
    host.injector.adopt('short', { instructions: 'Cite.' });
    const { texts } = await tell(host, 1);
    const tokens = (id: string): number => o200k.count(texts[id]?.replace(TRUNCATION_MARKER, '') ?? '');
    expect([tokens('own'), tokens('inner'), texts['short']]).toEqual([50, 10, 'Cite.']);
  });

  test('a total is shared fairly, and a change of model changes no text', async () => {
    const host = await hostWith(
      { a: english(2000), b: japanese, small: 'Cite what you find.' },
      { maxTotalTokens: 200 },
    );
    const first = await tell(host, 1);
    const tokens = (id: string): number => o200k.count(first.texts[id]?.replace(TRUNCATION_MARKER, '') ?? '');
    expect(first.texts['small']).toBe('Cite what you find.');
    expect(tokens('a') + tokens('b') + tokens('small')).toBeLessThanOrEqual(200);
    expect(Math.abs(tokens('a') - tokens('b'))).toBeLessThanOrEqual(2);
    expect(first.report.servers.map(({ limit }) => limit)).toEqual([
      'maxTotalTokens',
      'maxTotalTokens',
      null,
    ]);
    const { report } = await host.conversation.prepare({
      model: 'claude-3-5-haiku-latest',
      messages: [
        { role: 'user', content: 'message 0' },
        { role: 'assistant', content: 'message 1' },
        { role: 'user', content: 'message 2' },
      ],
    });
    expect(report).toMatchObject({ placed: false, reason: 'no-news' });
  });

  test('with a total in characters too, the tighter one applies', async () => {
    const options = { maxTotalChars: 1200, maxTotalTokens: 150 };
    const { report } = await tell(await hostWith({ a: english(2000), b: japanese }, options), 1);
    expect(report.servers.map(({ id, limit }) => [id, limit])).toEqual([
      ['a', 'maxTotalTokens'],
      ['b', 'maxTotalTokens'],
    ]);
    const sum = report.servers.reduce((total, { keptChars }) => total + keptChars, 0);
    expect(sum).toBeLessThanOrEqual(1200);
  });

  test('no request waits where none may: the text is pending, and told next time', async () => {
    const host = await hostWith({ a: english(2000) }, { maxTokens: 20, firstTurnWaitMs: 0 });
    expect((await tell(host, 1)).report.pending).toEqual(['a']);
    let turns = 1;
    await vi.waitFor(async () => {
      turns += 1;
      expect((await tell(host, turns)).report.servers[0]?.outcome).toBe('told');
    }, 20_000);
  });

  test('without a rank table a token counts as a byte: never too much', async () => {
    const counter = new TokenCounter({ loadEncoding: () => Promise.reject(new Error('scripted')) });
    const work = new BackgroundWork(systemClock);
    const fits = new TokenFits(counter, work, (text) => text);
    expect(fits.fit('short', 5)).toBe(5);
    expect([fits.fit('ääää', 5), fits.count('ääää')]).toEqual([undefined, undefined]);
    await work.whenDone();
    expect([fits.fit('ääää', 5), fits.count('ääää')]).toEqual([2, 8]);
  });
});
