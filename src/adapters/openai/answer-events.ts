import type { Outcome } from '../../injector/prepared.js';
import { isObject } from '../../values.js';

/** An answer of the Responses API. */
export type Answer = NonNullable<Outcome['message']> & { readonly usage?: unknown };

/** The events that hold the response, and whether it is all there. */
const EVENTS: ReadonlyMap<unknown, boolean> = new Map([
  ['response.created', false],
  ['response.queued', false],
  ['response.in_progress', false],
  ['response.completed', true],
  ['response.incomplete', true],
]);
const NAMES: readonly string[] = [...EVENTS.keys()].map((type) => `"${String(type)}"`);

/** Reads a value as an answer; `undefined` when it is none. */
export function asAnswer(value: unknown): Answer | undefined {
  return isObject(value) && typeof value['id'] === 'string' ? { ...value, id: value['id'] } : undefined;
}

/**
 * Reads the events of a streamed response.
 *
 * @param body read to its end, however it comes
 * @param onId called once, with the response's id as soon as it is known
 * @returns `undefined` when the whole answer did not come
 */
export async function readEvents(
  body: AsyncIterable<unknown> | readonly unknown[],
  onId: (id: string) => void,
): Promise<Answer | undefined> {
  const events = new AnswerEvents(onId);
  for await (const chunk of body) events.add(chunk);
  events.end();
  return events.whole;
}

class AnswerEvents {
  whole: Answer | undefined;
  readonly #onId: (id: string) => void;
  readonly #decoder = new TextDecoder();
  /** The line that is not at its end yet, in pieces: the last event is long. */
  #line: string[] = [];
  #id: string | undefined;

  constructor(onId: (id: string) => void) {
    this.#onId = onId;
  }

  add(chunk: unknown): void {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it throws at anything else
    this.#addText(this.#decoder.decode(chunk as Uint8Array, { stream: true }));
  }

  end(): void {
    this.#addText(`${this.#decoder.decode()}\n`);
  }

  #addText(text: string): void {
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? '';
    for (const line of lines) {
      this.#take(this.#line.length === 0 ? line : [...this.#line, line].join(''));
      this.#line = [];
    }
    if (rest !== '') this.#line.push(rest);
  }

  #take(line: string): void {
    // Most lines are words of the answer: they are not parsed.
    if (!line.startsWith('data:') || !NAMES.some((name) => line.includes(name))) return;
    const event: unknown = JSON.parse(line.slice('data:'.length));
    const isWhole = isObject(event) ? EVENTS.get(event['type']) : undefined;
    const answer = isObject(event) && isWhole !== undefined ? asAnswer(event['response']) : undefined;
    if (answer === undefined) return;
    if (this.#id === undefined) this.#onId(answer.id);
    this.#id = answer.id;
    if (isWhole === true) this.whole = answer;
  }
}
