import { describe, expect, it, vi } from 'vitest';
import type { Figure } from '../../src/cost/count.js';
import { loadEncoding } from '../../src/cost/encoding.js';
import { ExactCounter, type CountingClient } from '../../src/cost/exact-counter.js';
import { TokenCounter } from '../../src/cost/token-counter.js';

const english = 'Use lookup_part when the user names a part number. ';

describe('token counter', () => {
  it('is rough before the rank table is there: UTF-8 bytes / 3, rounded up', () => {
    const counter = new TokenCounter();
    expect(counter.ready).toBe(false);
    expect(counter.count('abcd', 'k1')).toEqual({ tokens: 2, method: 'rough' });
    expect(counter.count('', 'k2')).toEqual({ tokens: 0, method: 'rough' });
    expect(counter.count('é漢😀\ud800', 'k3')).toEqual({ tokens: 4, method: 'rough' });
  });

  it('is exact once loaded, also for what was counted roughly before', async () => {
    const counter = new TokenCounter();
    expect(counter.count(english, 'k').method).toBe('rough');
    await counter.load();
    expect(counter.ready).toBe(true);
    expect(counter.count(english, 'k')).toEqual({ tokens: 12, method: 'estimated' });
  });

  it('loads once, however often it is asked', async () => {
    let loads = 0;
    const counter = new TokenCounter({
      loadEncoding: () => {
        loads++;
        return loadEncoding();
      },
    });
    await Promise.all([counter.load(), counter.load(), counter.warm(english, 'k')]);
    await counter.load();
    expect(loads).toBe(1);
  });

  it('shares one rank table with every counter of the process', async () => {
    await new TokenCounter().load();
    const counter = new TokenCounter();
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await counter.load();
    clearInterval(timer);
    expect(counter.ready).toBe(true);
    expect(turns).toBe(0);
  });

  it('lets the event loop turn while it loads', async () => {
    const counter = new TokenCounter({ loadEncoding });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await counter.load();
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  it('stays rough and says why when the rank table cannot be loaded', async () => {
    const failure = new Error('no such module');
    const counter = new TokenCounter({ loadEncoding: () => Promise.reject(failure) });
    await counter.warm(english, 'k');
    expect(counter.ready).toBe(false);
    expect(counter.loadError).toBe(failure);
    expect(counter.count(english, 'k').method).toBe('rough');
  });

  it('leaves a long text to the background and has its figure the next time', async () => {
    const counter = new TokenCounter();
    await counter.load();
    const long = english.repeat(100);
    expect(counter.count(long, 'long')).toEqual({ tokens: 1_700, method: 'rough' });
    await counter.warm(long, 'long');
    expect(counter.count(long, 'long')).toEqual({ tokens: 1_101, method: 'estimated' });
  });

  it('takes a warmed figure from its key and does not read the text again', async () => {
    const counter = new TokenCounter();
    await counter.warm(english, 'k');
    expect(counter.count('another text entirely', 'k')).toEqual({ tokens: 12, method: 'estimated' });
  });

  it('gives a figure for the model of the request', async () => {
    const counter = new TokenCounter();
    expect(counter.figure(english, 'k', 'claude-opus-5')).toMatchObject({ tokens: 17, method: 'rough' });
    await counter.load();
    expect(counter.figure(english, 'k', 'claude-opus-5')).toMatchObject({ method: 'calibrated' });
    expect(counter.figure(english, 'k', 'gpt-4o')).toMatchObject({ tokens: 12, method: 'counted' });
    expect(counter.figure(english, 'k', null)).toMatchObject({ tokens: 12, method: 'estimated' });
  });

  it('counts blocks exactly where it can, and keeps the estimate with the reason where it cannot', async () => {
    let isDown = false;
    const client: CountingClient = {
      messages: {
        countTokens: async ({ messages }) => {
          if (isDown) throw Object.assign(new Error('overloaded'), { status: 529 });
          return { input_tokens: messages[0]!.content.length > 2 ? 49 : 30 };
        },
      },
    };
    const exact = new ExactCounter(client);
    const counter = new TokenCounter({ exact });
    await counter.load();
    const figure = (key: string, part: 'block' | 'section'): Figure =>
      counter.figure(english, key, 'claude-opus-5', part);
    const estimate = figure('k', 'section');
    expect(figure('k', 'block')).toEqual({ ...estimate, notCounted: 'pending' });
    await vi.waitFor(() => {
      expect(figure('k', 'block')).toEqual({
        tokens: 19,
        method: 'counted',
        low: 19,
        high: 19,
        calibration: null,
        estimated: estimate.tokens,
      });
    });
    expect(figure('k', 'section')).toEqual(estimate);
    isDown = true;
    figure('another', 'block');
    await vi.waitFor(() => {
      expect(figure('another', 'block')).toEqual({ ...estimate, notCounted: 'overloaded' });
    });
  });

  it('does not believe a count of a fraction of what was estimated, nor lets sections exceed their block by rounding', async () => {
    const client: CountingClient = {
      messages: {
        countTokens: ({ messages }) =>
          Promise.resolve({ input_tokens: messages[0]!.content.length > 2 ? 43 : 30 }),
      },
    };
    const counter = new TokenCounter({ exact: new ExactCounter(client) });
    const text = english.repeat(20);
    const rough = Array.from({ length: 50 }, () => counter.figure('abcd', 'p', null, 'section').tokens);
    expect(rough.reduce((sum, tokens) => sum + tokens)).toBeLessThanOrEqual(
      counter.figure('abcd'.repeat(50), 'w', null, 'block').tokens,
    );
    await counter.load();
    const figure = (): Figure => counter.figure(text, 'k', 'claude-opus-5', 'block');
    const estimate = figure();
    await vi.waitFor(() => {
      expect(figure()).toEqual({ ...estimate, notCounted: 'implausible' });
    });
  });

  it('forgets the text that was not used for longest', async () => {
    const counter = new TokenCounter({ maxEntries: 2 });
    await counter.warm('one', 'a');
    await counter.warm('one two', 'b');
    counter.count('one', 'a');
    await counter.warm('one two three', 'c');
    const probe = 'one two three four five';
    expect(counter.count(probe, 'a').tokens).toBe(1);
    expect(counter.count(probe, 'c').tokens).toBe(3);
    expect(counter.count(probe, 'b').tokens).toBe(5);
  });
});
