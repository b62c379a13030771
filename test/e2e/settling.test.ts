import { afterAll, describe, expect, it } from 'vitest';
import type { MessagesRequest } from '../../src/formats/messages-request.js';
import { Folder, lab, livingProcesses } from '../servers/support/lab.js';
import { ManualClock } from '../servers/support/manual-clock.js';
import { assistant, user } from '../support/engine.js';
import { MODEL, startHost, type TestHost } from '../support/host.js';
import { isBlockText, prefixBreak, readRequest } from '../support/request-reader.js';

type Message = MessagesRequest['messages'][number];

afterAll(() => {
  expect(livingProcesses()).toEqual([]);
});

/** A chat that goes on by one turn at a time. */
class Chat {
  readonly #host: TestHost;
  readonly #history: Message[] = [];
  #before: MessagesRequest['messages'] = [];

  constructor(host: TestHost) {
    this.#host = host;
  }

  /** Sends the next turn, which must go on with the bytes of the one before. */
  async turn(): Promise<{ block: string | undefined; inForce: Record<string, string>; reason: string }> {
    this.#history.push(user(`question ${this.#history.length}`));
    const messages = [...this.#history];
    const prepared = await this.#host.conversation.prepare({ model: MODEL, messages });
    await prepared.commit();
    this.#history.push(assistant('answer'));
    const sent = prepared.request.messages;
    expect(prefixBreak(this.#before, sent)).toBe(-1);
    expect(readRequest(sent).faults).toEqual([]);
    this.#before = sent;
    const { content } = sent.at(-1)!;
    const block = typeof content === 'string' ? undefined : content.map(({ text }) => text).find(isBlockText);
    const { reason } = prepared.report;
    return { block, inForce: Object.fromEntries(readRequest(sent).inForce), reason };
  }
}

function block(...lines: string[]): string {
  return ['<system-reminder>', '# MCP Server Instructions', '', ...lines, '</system-reminder>'].join('\n');
}
const REMOVED =
  'The following MCP servers are no longer connected, and their instructions above no longer apply:';
const RESTORED = 'The following MCP servers are connected again, and their instructions above apply again:';

describe('a server that is away', () => {
  const start = async (
    graceMs: number,
  ): Promise<{ host: TestHost; clock: ManualClock; set(up: boolean): void }> => {
    const clock = new ManualClock();
    const host = await startHost({ unavailableGraceMs: graceMs, clock });
    let isUp = true;
    host.injector.adopt('docs', {
      getInstructions: () => {
        if (!isUp) throw new Error('gone');
        return 'Docs text.';
      },
    });
    return { host, clock, set: (up) => (isUp = up) };
  };

  it('for less than the grace: nothing is said', async () => {
    const { host, clock, set } = await start(60_000);
    const chat = new Chat(host);
    await chat.turn();
    set(false);
    expect(await chat.turn()).toMatchObject({ block: undefined, reason: 'no-news' });
    clock.advance(59_999);
    expect(await chat.turn()).toMatchObject({ block: undefined, inForce: { docs: 'Docs text.' } });
    set(true);
    expect(await chat.turn()).toMatchObject({ block: undefined, reason: 'no-news' });
  });

  it('for the grace: one line; back with the same text: one line, without the text', async () => {
    const { host, clock, set } = await start(60_000);
    const chat = new Chat(host);
    await chat.turn();
    set(false);
    await chat.turn();
    clock.advance(60_000);
    expect(await chat.turn()).toMatchObject({ block: block(REMOVED, '', '- docs'), inForce: {} });
    expect(await chat.turn()).toMatchObject({ block: undefined });
    set(true);
    expect(await chat.turn()).toMatchObject({ block: block(RESTORED, '', '- docs') });
    expect(host.reports.at(-1)?.servers).toMatchObject([{ id: 'docs', outcome: 'told', change: 'restored' }]);
  });

  it('without a grace: told at once', async () => {
    const { host, set } = await start(0);
    const chat = new Chat(host);
    await chat.turn();
    set(false);
    expect(await chat.turn()).toMatchObject({ block: block(REMOVED, '', '- docs') });
  });

  it('ten times, within a turn and across turns: nothing is said where nothing changed', async () => {
    const { host, clock, set } = await start(10);
    const chat = new Chat(host);
    await chat.turn();
    for (let flap = 0; flap < 10; flap += 1) {
      set(false);
      clock.advance(1_000);
      set(true);
    }
    expect(await chat.turn()).toMatchObject({ block: undefined });
    for (let flap = 0; flap < 10; flap += 1) {
      set(flap % 2 === 1);
      expect((await chat.turn()).block).toBeUndefined();
      clock.advance(9);
    }
  });

  it('and another text comes back: the text, said to replace the old', async () => {
    const host = await startHost({ unavailableGraceMs: 0 });
    let text: string | undefined = 'One.';
    host.injector.adopt('docs', () => ({ instructions: text }));
    const chat = new Chat(host);
    await chat.turn();
    text = undefined;
    await chat.turn();
    text = 'Two.';
    const { block: said, inForce } = await chat.turn();
    expect(said).toContain('have replaced their instructions');
    expect(inForce).toEqual({ docs: 'Two.' });
  });
});

describe('resuming', () => {
  it('with servers still connecting says nothing about them', async () => {
    const first = await startHost();
    for (const id of ['docs', 'slow']) first.injector.adopt(id, { instructions: `${id} text` });
    const one = await first.conversation.prepare({ model: MODEL, messages: [user('q')] });
    await one.commit();
    const resumed = await startHost({
      servers: { slow: lab({ text: 'slow text', initializeDelayMs: 400, discover: -32601 }) },
      firstTurnWaitMs: 0,
    });
    resumed.injector.adopt('docs', { instructions: 'docs text' });
    const conversation = resumed.injector.conversation('resumed', { ledger: first.conversation.toJSON() });
    const messages = [user('q'), assistant('a'), user('r')];
    const two = await conversation.prepare({ model: MODEL, messages });
    expect(two.report).toMatchObject({
      placed: false,
      reason: 'no-news',
      servers: [{}, { connection: 'connecting' }],
    });
    await two.commit();
    await resumed.injector.ready();
    const three = await conversation.prepare({
      model: MODEL,
      messages: [...messages, assistant('b'), user('s')],
    });
    expect(three.report).toMatchObject({ placed: false, reason: 'no-news', pending: [] });
    expect(prefixBreak(one.request.messages, three.request.messages)).toBe(-1);
  });
});

describe('a text that changes', () => {
  it('at every connection is told each time, and flagged', async () => {
    using folder = new Folder();
    const script = { text: 'You are signed in. Build', numbered: true, journal: folder.file('starts') };
    const host = await startHost({ servers: { lab: lab(script) } });
    await host.injector.ready();
    const chat = new Chat(host);
    const flags: (readonly string[] | undefined)[] = [];
    for (let connection = 1; connection <= 4; connection += 1) {
      if (connection > 1) await host.injector.connections.reconnect('lab');
      const { inForce } = await chat.turn();
      expect(inForce['lab']).toContain(String(connection));
      flags.push(host.reports.at(-1)?.servers[0]?.flags);
    }
    expect(flags).toEqual([[], [], ['unstable-text'], ['unstable-text']]);
    expect(host.log.filter(({ event }) => event === 'instructions-unstable')).toMatchObject([
      { level: 'warn', server: 'lab', changes: 2 },
    ]);
  });

  it('in white space only is no news', async () => {
    const host = await startHost();
    let text = 'One.\nTwo.';
    host.injector.adopt('docs', () => ({ instructions: text }));
    const chat = new Chat(host);
    await chat.turn();
    text = '\n  One.\r\nTwo.  \n\n';
    expect(await chat.turn()).toMatchObject({ block: undefined, reason: 'no-news' });
  });
});
