import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/stores/memory-store.js';
import { MODEL, startHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';

const user = (content: string) => ({ role: 'user' as const, content });
const answer = { role: 'assistant' as const, content: 'a' };
type Message = ReturnType<typeof user> | typeof answer;
const request = (...messages: Message[]) => ({ model: MODEL, messages });

const a = { instructions: 'A'.repeat(90) };
const b = { instructions: 'B'.repeat(90) };

describe('a limit for all servers together, in several processes', () => {
  it('a text already told keeps its length, whatever share another process would give it', async () => {
    const store = memoryStore();
    const first = await startHost({ maxTotalChars: 100, store });
    const second = await startHost({ maxTotalChars: 100, store });
    for (const { injector } of [first, second]) injector.adopt('a', a);
    const messages: Message[] = [];
    let before: Parameters<typeof prefixBreak>[0] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      messages.push(user(`q${turn}`));
      const { conversation } = turn % 2 === 0 ? first : second;
      const prepared = await conversation.prepare(request(...messages));
      await prepared.commit();
      expect(prefixBreak(before, prepared.request.messages)).toBe(-1);
      // Told alone, the first server has nearly all there is; a process that knows both would give each a half.
      expect(readRequest(prepared.request.messages).inForce.size).toBe(turn === 0 ? 1 : 2);
      expect(prepared.report.reason).toBe(turn < 2 ? 'placed' : 'no-news');
      expect(prepared.report.servers.every((server) => server.outcome === 'told')).toBe(true);
      if (turn === 0) for (const { injector } of [first, second]) injector.adopt('b', b);
      before = prepared.request.messages;
      messages.push(answer);
    }
  });

  it('a restart tells nothing again', async () => {
    const before = await startHost({ maxTotalChars: 100 });
    before.injector.adopt('a', a);
    await before.conversation.prepare(request(user('q')));
    before.injector.adopt('b', b);
    await before.conversation.prepare(request(user('q'), answer, user('r')));
    const { injector } = await startHost({ maxTotalChars: 100 });
    injector.adopt('a', a);
    injector.adopt('b', b);
    const conversation = injector.conversation('chat', { ledger: before.conversation.toJSON() });
    const next = await conversation.prepare(request(user('q'), answer, user('r'), answer, user('s')));
    expect(next.report.reason).toBe('no-news');
  });

  it('a text that changed is told, at whatever length', async () => {
    const { injector, conversation } = await startHost({ maxTotalChars: 100 });
    injector.adopt('a', a);
    injector.adopt('b', b);
    await conversation.prepare(request(user('q')));
    injector.adopt('b', { instructions: `C${'B'.repeat(89)}` });
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(next.report.servers.map((server) => server.change)).toEqual([null, 'changed']);
  });
});
