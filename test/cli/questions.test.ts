import { PassThrough } from 'node:stream';

import { expect, test, vi } from 'vitest';

import { questionsOf, type Questions } from '../../src/cli/questions.js';
import { LineKeyboard } from './line-keyboard.js';

class Desk {
  readonly keyboard: LineKeyboard = new LineKeyboard();
  readonly signal: AbortSignal;
  readonly #questions: Questions;
  readonly #stop = new AbortController();
  #shown = '';

  constructor() {
    const output = new PassThrough();
    output.on('data', (chunk) => (this.#shown += String(chunk)));
    this.#questions = questionsOf(this.keyboard, output)!;
    this.signal = this.#stop.signal;
  }

  /** @returns the answer, after the question was shown and `keys` were pressed */
  async ask(question: string, keys: string | undefined): Promise<string | undefined> {
    this.#shown = '';
    const answer = this.#questions.ask(question, this.signal);
    await vi.waitFor(() => expect(this.#shown).toBe(`${question} `), 5_000);
    if (keys === undefined) this.keyboard.end();
    else this.keyboard.press(keys);
    return await answer;
  }

  stop(): void {
    this.#stop.abort();
  }
}

test('nobody is asked without a terminal', () => {
  expect(questionsOf(new LineKeyboard(false), new PassThrough())).toBeUndefined();
});

test('what was typed before a question answers none: whole lines, a begun line, several at once', async () => {
  const desk = new Desk();
  desk.keyboard.press('y\ny\ny\n');
  expect(await desk.ask('First?', 'first\n')).toBe('first');
  desk.keyboard.press('y');
  expect(await desk.ask('Second?', '\n')).toBe('');
  desk.keyboard.press('y\ny');
  expect(await desk.ask('Third?', 'third\ny\ny\n')).toBe('third');
  expect(await desk.ask('Fourth?', 'n\n')).toBe('n');
});

test('the end of the input is no answer, and stays the end', async () => {
  const desk = new Desk();
  expect(await desk.ask('First?', undefined)).toBeUndefined();
  expect(await desk.ask('Second?', undefined)).toBeUndefined();
});

test('a line without its Enter is no answer', async () => {
  const desk = new Desk();
  const answer = desk.ask('First?', '');
  await vi.waitFor(() => expect(desk.keyboard.listenerCount('data')).toBe(1));
  desk.keyboard.write('y');
  desk.keyboard.end();
  expect(await answer).toBeUndefined();
});

test('stopping ends the question', async () => {
  const desk = new Desk();
  const answer = desk.ask('First?', '');
  desk.stop();
  expect(await answer.catch(() => undefined)).toBeUndefined();
});

test('Ctrl-C that is typed ahead stops the process, as it would without the raw mode', async () => {
  const interrupted = vi.fn<() => void>();
  process.once('SIGINT', interrupted);
  const desk = new Desk();
  desk.keyboard.press('\u0003\n');
  await desk.ask('First?', 'n\n');
  await vi.waitFor(() => expect(interrupted).toHaveBeenCalledOnce());
});
