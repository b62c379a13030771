import { describe, expect, it } from 'vitest';
import type { NotCounted } from '../../src/cost/count.js';
import { ExactCounter, type CountingClient } from '../../src/cost/exact-counter.js';

const model = 'claude-opus-5-5';
const block = '<system-reminder>\nOne block of text.\n</system-reminder>';
const frame = 40;

interface Call {
  readonly model: string;
  readonly texts: readonly string[];
  readonly options: { readonly timeout?: number; readonly maxRetries?: number } | undefined;
}

/** A client that answers 20 tokens for a block, or what it is told to do. */
function setUp(answer: (call: Call) => unknown = ({ texts }) => frame + (texts.length > 2 ? 20 : 0)) {
  const calls: Call[] = [];
  const failures: NotCounted[] = [];
  let now = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const client: CountingClient = {
    messages: {
      async countTokens(body, options) {
        const call = { model: body.model, texts: body.messages[0]!.content.map(({ text }) => text), options };
        calls.push(call);
        const input_tokens = await answer(call);
        return { input_tokens } as { input_tokens: number };
      },
    },
  };
  const counter = new ExactCounter(client, {
    timeoutMs: 1_000,
    now: () => now,
    after: (ms, callback) => {
      const timer = { at: now + ms, callback };
      timers.push(timer);
      return () => {
        timers.splice(timers.indexOf(timer), 1);
      };
    },
    onFailure: (_model, reason) => failures.push(reason),
  });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 50; i++) await Promise.resolve();
  };
  return {
    counter,
    calls,
    failures,
    settle,
    /** Lets time pass, and everything that is due with it. */
    pass: async (ms: number): Promise<void> => {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.callback();
      }
      await settle();
    },
  };
}

function status(code: number): () => Promise<never> {
  return () => Promise.reject(Object.assign(new Error('no'), { status: code }));
}

describe('exact counter', () => {
  it('says of other blocks, too, why nothing is asked at the moment', async () => {
    const { counter, calls, pass } = setUp(status(401));
    for (const key of ['a', 'b', 'c']) counter.count(block, key, model);
    await pass(0);
    expect(['a', 'b', 'c', 'd'].map((key) => counter.count(block, key, model))).toEqual(
      Array.from({ length: 4 }, () => 'forbidden'),
    );
    expect(calls).toHaveLength(1);
  });

  it('asks for nothing more once it is closed, and gives up what it asked', async () => {
    let signal: AbortSignal | undefined;
    let calls = 0;
    const counter = new ExactCounter(
      {
        messages: {
          countTokens: (_body, options) => {
            calls += 1;
            signal = options?.signal;
            return new Promise(() => undefined);
          },
        },
      },
      { after: (ms, callback) => (ms === 0 && queueMicrotask(callback), () => undefined) },
    );
    for (const key of ['a', 'b']) counter.count(block, key, model);
    for (let i = 0; i < 50; i++) await Promise.resolve();
    expect(calls).toBe(1);
    counter.close();
    expect(signal?.aborted).toBe(true);
    for (let i = 0; i < 50; i++) await Promise.resolve();
    expect(counter.count(block, 'c', model)).toBe('closed');
    expect(calls).toBe(1);
  });

  it('an answer that throws when it is looked at is one more reason', async () => {
    const answer = {
      get input_tokens(): number {
        throw new Error('no');
      },
    };
    const failures: NotCounted[] = [];
    const counter = new ExactCounter(
      { messages: { countTokens: () => Promise.resolve(answer) } },
      {
        onFailure: (_model, reason) => failures.push(reason),
        after: (ms, callback) => (ms === 0 && queueMicrotask(callback), () => undefined),
      },
    );
    counter.count(block, 'k', model);
    for (let i = 0; i < 50; i++) await Promise.resolve();
    expect(failures).toEqual(['unreachable']);
    expect(counter.count(block, 'k', model)).toBe('unreachable');
  });

  it.each<[string, () => unknown]>([
    ['never calls back', () => undefined],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('a thenable whose `then` %s is one more reason', async (_, then) => {
    const failures: NotCounted[] = [];
    const timers: (() => void)[] = [];
    const counter = new ExactCounter(
      // oxlint-disable-next-line unicorn/no-thenable -- what a broken client gives
      { messages: { countTokens: () => ({ then }) as PromiseLike<{ input_tokens: number }> } },
      {
        onFailure: (_model, reason) => failures.push(reason),
        after: (_ms, callback) => (timers.push(callback), () => undefined),
      },
    );
    counter.count(block, 'k', model);
    for (let round = 0; round < 3; round += 1) {
      for (const timer of timers.splice(0)) timer();
      for (let i = 0; i < 50; i++) await Promise.resolve();
    }
    expect(failures).toHaveLength(1);
    expect(['timeout', 'unreachable']).toContain(failures[0]);
  });

  it('counts a block between two texts, less the two alone, in the background', async () => {
    const { counter, calls, pass } = setUp();
    expect(counter.count(block, 'k', model)).toBe('pending');
    expect(calls).toEqual([]);
    await pass(0);
    expect(counter.count(block, 'k', model)).toBe(20);
    expect(calls.map((call) => call.texts.length)).toEqual([2, 3]);
    expect(calls[1]!.texts[1]).toBe(block);
    expect(calls[1]!.options).toMatchObject({ timeout: 1_000, maxRetries: 0 });
  });

  it('counts once for a model family, and the frame once for a model', async () => {
    const { counter, calls, pass } = setUp();
    counter.count(block, 'k', model);
    counter.count(block, 'k', model);
    await pass(0);
    expect(counter.count(block, 'k', 'claude-opus-4-7')).toBe(20);
    counter.count(block, 'other', model);
    await pass(0);
    expect(calls).toHaveLength(3);
    expect(counter.count(block, 'k', 'claude-3-5-haiku-latest')).toBe('pending');
    await pass(0);
    expect(calls).toHaveLength(5);
  });

  it('does not ask for models that are not Claude', async () => {
    const { counter, calls, pass } = setUp();
    expect(counter.count(block, 'k', 'gpt-4o')).toBe('other-model');
    expect(counter.count(block, 'k', null)).toBe('other-model');
    await pass(0);
    expect(calls).toEqual([]);
  });

  it.each<[string, (call: Call) => unknown, NotCounted]>([
    ['400', status(400), 'refused'],
    ['401', status(401), 'forbidden'],
    ['403', status(403), 'forbidden'],
    ['404', status(404), 'not-found'],
    ['429', status(429), 'rate-limited'],
    ['500', status(500), 'overloaded'],
    ['529', status(529), 'overloaded'],
    ['408', status(408), 'timeout'],
    ['422', status(422), 'refused'],
    ['no status that there is', status(0), 'unreachable'],
    ['a status that is no number', status(Number.NaN), 'unreachable'],
    [
      'an error that throws when it is looked at',
      () =>
        Promise.reject(
          Object.defineProperty(new Error('no'), 'status', {
            get() {
              throw new Error('again');
            },
          }),
        ),
      'unreachable',
    ],
    ['no connection', () => Promise.reject(new Error('ECONNREFUSED')), 'unreachable'],
    ['something thrown that is no error', () => Promise.reject(undefined), 'unreachable'],
    ['zero', () => 0, 'no-number'],
    ['null', () => null, 'no-number'],
    ['a text', () => '60', 'no-number'],
    ['a fraction', () => 40.5, 'no-number'],
    ['no difference', () => frame, 'implausible'],
    ['a negative difference', ({ texts }) => (texts.length > 2 ? 1 : frame), 'implausible'],
    ['more than any text needs', ({ texts }) => (texts.length > 2 ? 1_000_000 : frame), 'implausible'],
  ])('says why after %s', async (_name, answer, reason) => {
    const { counter, failures, pass } = setUp(answer);
    counter.count(block, 'k', model);
    await pass(0);
    expect(counter.count(block, 'k', model)).toBe(reason);
    expect(failures).toEqual([reason]);
  });

  it('says why when the client throws at once', async () => {
    const counter = new ExactCounter(
      {
        messages: {
          countTokens: () => {
            throw new TypeError('not a function');
          },
        },
      },
      { after: (_ms, callback) => (queueMicrotask(callback), () => undefined) },
    );
    counter.count(block, 'k', model);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(counter.count(block, 'k', model)).toBe('unreachable');
  });

  it('gives up on an answer that does not come, though the client ignores its signal', async () => {
    const { counter, pass } = setUp(() => new Promise(() => undefined));
    counter.count(block, 'k', model);
    await pass(0);
    expect(counter.count(block, 'k', model)).toBe('pending');
    await pass(1_000);
    expect(counter.count(block, 'k', model)).toBe('timeout');
  });

  it('asks for nothing for a minute after a failure, then for two, and gives a block up after three tries', async () => {
    const { counter, calls, pass } = setUp(status(529));
    const ask = async (key: string): Promise<number> => {
      counter.count(block, key, model);
      await pass(0);
      return calls.length;
    };
    expect(await ask('k')).toBe(1);
    expect(await ask('k')).toBe(1);
    expect(await ask('another')).toBe(1);
    await pass(60_000);
    expect(await ask('k')).toBe(2);
    await pass(60_000);
    expect(await ask('k')).toBe(2);
    await pass(60_000);
    expect(await ask('k')).toBe(3);
    await pass(3_600_000);
    expect(await ask('k')).toBe(3);
    expect(counter.count(block, 'k', model)).toBe('overloaded');
  });

  it('recovers: after the pause a good answer counts', async () => {
    let isDown = true;
    const { counter, pass } = setUp((call) =>
      isDown ? status(503)() : frame + (call.texts.length > 2 ? 20 : 0),
    );
    counter.count(block, 'k', model);
    await pass(0);
    isDown = false;
    await pass(60_000);
    expect(counter.count(block, 'k', model)).toBe('overloaded');
    await pass(0);
    expect(counter.count(block, 'k', model)).toBe(20);
  });

  it('asks one thing at a time', async () => {
    let open = 0;
    let most = 0;
    const { counter, pass, settle } = setUp(async ({ texts }) => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      return frame + (texts.length > 2 ? 20 : 0);
    });
    for (const key of ['a', 'b', 'c', 'd']) counter.count(block, key, model);
    await pass(0);
    await settle();
    await settle();
    expect(most).toBe(1);
    expect(counter.count(block, 'd', model)).toBe(20);
  });
});
