import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/stores/memory-store.js';
import { MODEL, startHost } from '../support/host.js';
import { prefixBreak, readRequest } from '../support/request-reader.js';

const user = (content: string) => ({ role: 'user' as const, content });
const answer = { role: 'assistant' as const, content: 'a' };
const request = (...messages: { role: 'user' | 'assistant'; content: string }[]) => ({
  model: MODEL,
  messages,
});

/** A response that comes when it is told to. */
function controlled(): { response: Promise<Response>; end: (status: number) => void } {
  let end = (_status: number): void => {};
  const response = new Promise<Response>((resolve) => {
    end = (status) => resolve(new Response('{}', { status }));
  });
  return { response, end: (status) => end(status) };
}

describe('calls that overlap', () => {
  it('a plan that relies on another call’s record brings it back when it is retried and delivered', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const middleware = conversation.middleware();
    const body = JSON.stringify(request(user('q')));
    const given = { url: 'https://api.example.com/v1/messages', method: 'POST', body };
    const parse = async (): Promise<never> => undefined as never;
    const sent: unknown[] = [];
    const attempt = (options: object, response: Promise<Response>): Promise<Response> =>
      middleware(
        given,
        async (outgoing) => {
          sent.push(outgoing.body);
          return await response;
        },
        { options, parse },
      );
    const first = controlled();
    const second = controlled();
    const optionsA = {};
    const optionsB = {};
    const a = attempt(optionsA, first.response);
    const b = attempt(optionsB, second.response);
    await expect.poll(() => sent.length).toBe(2);
    first.end(400);
    await a;
    second.end(529);
    await b;
    await attempt(optionsB, Promise.resolve(new Response('{}')));
    expect(new Set(sent).size).toBe(1);
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(next.report.reason).toBe('no-news');
    expect([...readRequest(next.request.messages).inForce.keys()]).toEqual(['docs']);
    expect(next.request.messages[2]).toEqual(user('r'));
  });

  it('a plan that was made on another one’s record can be committed after that one was discarded', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepare(request(user('q')));
    const second = await conversation.prepare(request(user('q')));
    first.discard();
    await second.commit();
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(prefixBreak(second.request.messages, next.request.messages)).toBe(-1);
  });

  it('an interruption: the call of a longer run of user messages keeps the block in the first', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepareCall(request(user('q')), { isHeld: true });
    const second = await conversation.prepareCall(request(user('q'), user('stop')), { isHeld: true });
    first.release();
    first.discard();
    second.release();
    await second.commit();
    const next = await conversation.prepare(request(user('q'), user('stop'), answer, user('r')));
    expect(prefixBreak(second.request.messages, next.request.messages)).toBe(-1);
  });

  it('a late discard takes nothing out of a history that went on', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepare(request(user('q')));
    const second = await conversation.prepare(request(user('q'), answer, user('r')));
    first.discard();
    const third = await conversation.prepare(request(user('q'), answer, user('r'), answer, user('s')));
    expect(prefixBreak(second.request.messages, third.request.messages)).toBe(-1);
  });

  it('a failed repetition forgets nothing of what was delivered without a word', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const delivered = await conversation.prepare(request(user('q')));
    (await conversation.prepare(request(user('q')))).discard();
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(prefixBreak(delivered.request.messages, next.request.messages)).toBe(-1);
  });

  it('a discard after the commit changes no figure', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const first = await conversation.prepare(request(user('q')));
    await first.commit();
    first.discard();
    const next = await conversation.prepare(request(user('q'), answer, user('r')));
    expect(next.report.tokens.sinceStart).toBe(first.report.tokens.total + next.report.tokens.total);
  });

  it('a request that is not answered counts nothing as sent', async () => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const counted = await conversation.prepare(request(user('q')), { record: false });
    expect(counted.report.tokens.total).toBeGreaterThan(0);
    expect(counted.report.tokens.sinceStart).toBe(0);
  });
});

describe('forget', () => {
  it('during a load of the store: what was forgotten does not come back', async () => {
    const memory = memoryStore();
    const writer = await startHost({ store: memory });
    writer.injector.adopt('docs', { instructions: 'One.' });
    await (await writer.conversation.prepare(request(user('q')))).commit();
    let answerGet = (): void => {};
    const store = {
      get: (key: string) =>
        new Promise<string | undefined>((resolve) => {
          const value = memory.get(key);
          answerGet = () => resolve(value);
        }),
      set: (key: string, value: string) => memory.set(key, value),
      delete: (key: string) => memory.delete(key),
    };
    const { injector, conversation } = await startHost({ store });
    injector.adopt('docs', { instructions: 'One.' });
    const preparing = conversation.prepare(request(user('r')));
    await expect.poll(() => answerGet.length === 0 && String(answerGet)).toContain('resolve');
    await conversation.forget();
    answerGet();
    const prepared = await preparing;
    expect(conversation.toJSON().entries).toHaveLength(1);
    expect(prepared.report.reason).toBe('placed');
  });

  it('before the commit of a plan: the plan is forgotten, too', async () => {
    const store = memoryStore();
    const { injector, conversation } = await startHost({ store });
    injector.adopt('docs', { instructions: 'One.' });
    const prepared = await conversation.prepare(request(user('q')));
    await conversation.forget();
    await prepared.commit({ message: { id: 'm1', content: 'a' } });
    prepared.discard();
    expect(conversation.toJSON()).toMatchObject({ entries: [], blocks: [], threads: [] });
    expect(store.size).toBe(0);
  });
});

describe('what the host passes to commit', () => {
  it.each([
    ['null', null],
    [
      'a usage that cannot be read',
      {
        get usage(): never {
          throw new Error('no');
        },
      },
    ],
    [
      'a message that cannot be read',
      {
        message: {
          get id(): never {
            throw new Error('no');
          },
          content: 'a',
        },
      },
    ],
    ['a message of a wrong type', { message: 42 }],
  ])('%s does not make it fail', async (_, outcome) => {
    const { injector, conversation } = await startHost();
    injector.adopt('docs', { instructions: 'One.' });
    const prepared = await conversation.prepare(request(user('q')));
    await prepared.commit(outcome as never);
    expect(conversation.toJSON().entries[0]?.[1].committed).toBe(true);
  });
});
