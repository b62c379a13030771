import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/stores/memory-store.js';
import { MODEL, startHost } from '../support/host.js';

const user = (content: string) => ({ role: 'user' as const, content });
const answer = { role: 'assistant' as const, content: 'a' };
const request = (...messages: { role: 'user' | 'assistant'; content: string }[]) => ({
  model: MODEL,
  messages,
});

describe('what the log says of a request', () => {
  it('its cost, as the report has it', async () => {
    const { injector, conversation, log } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const { report } = await conversation.prepare(request(user('q')));
    const { added, carried, wrapper, total, low, high, method, sinceStart } = report.tokens;
    const { calibration, notCounted } = report.tokens;
    const { turn, reason, placed } = report;
    const line = log.find(({ event }) => event === 'request-cost');
    const said = { added, carried, wrapper, total, low, high, method, sinceStart, turn, reason, placed };
    expect(line).toMatchObject({ level: 'info', conversation: 'chat', model: MODEL, ...said });
    expect(line?.['calibration'] ?? null).toBe(calibration);
    expect(line?.['notCounted'] ?? null).toBe(notCounted);
    expect(total).toBeGreaterThan(0);
  });

  it('that news waits', async () => {
    const { injector, conversation, log } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    await conversation.prepare(request(user('q')));
    injector.adopt('late', { instructions: 'Two.' });
    await conversation.prepare(request(user('q')));
    expect(log.filter(({ event }) => event === 'block-held')).toMatchObject([
      { level: 'debug', conversation: 'chat', reason: 'turn-already-sent', pending: ['late'] },
    ]);
  });

  it('that another process told something in between', async () => {
    const store = memoryStore();
    const [one, other] = [await startHost({ store }), await startHost({ store })];
    for (const { injector } of [one, other]) injector.adopt('docs', { instructions: 'One.' });
    await (await one.conversation.prepare(request(user('q')))).commit();
    await (await other.conversation.prepare(request(user('q'), answer, user('r')))).commit();
    expect([...one.log, ...other.log].filter(({ event }) => event === 'ledger-merged')).toEqual([]);
    await (await one.conversation.prepare(request(user('q'), answer, user('r'), answer, user('s')))).commit();
    expect(one.log.filter(({ event }) => event === 'ledger-merged')).toMatchObject([
      { level: 'debug', conversation: 'chat', entries: 2, gained: 1 },
    ]);
  });
});
