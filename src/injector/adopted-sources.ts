import { notExpected } from '../errors.js';
import { showText } from '../instructions/show-text.js';
import type { Observer } from '../observe/observer.js';
import type { Clock } from '../servers/clock.js';
import { parseInstructionsOptions } from '../servers/server-config.js';
import type { InstructionsOptions, InstructionsPolicy } from '../servers/server-config.js';
import { isRecord, kindOf } from '../values.js';

type Awaitable<Value> = Value | PromiseLike<Value>;

/** Something of the host's own that knows a server's instructions, such as an MCP client. */
export type InstructionsSourceObject =
  | { getInstructions(): Awaitable<unknown> }
  | { readonly instructions?: unknown };

/** What can be adopted: such an object, or a function that gives one, called again for every request. */
export type AdoptedSource = InstructionsSourceObject | (() => Awaitable<InstructionsSourceObject>);

/** Options of {@link AdoptedSources.adopt}: as for a configured server, and how pins know the source. */
export interface AdoptOptions extends InstructionsOptions {
  /** What pins know the source by. Default: its id. */
  readonly identity?: string;
}

/** One adopted source as it was read for a request. */
export interface AdoptedReading {
  readonly id: string;
  readonly identity: string;
  readonly policy: InstructionsPolicy;
  /** What it gave; `undefined` when it gave nothing or could not be read. */
  readonly value: unknown;
  /** Since when it cannot be read, in ms of the clock that is never set. */
  readonly awaySince: number | undefined;
}

/** How long a source may take, in ms. */
export const SOURCE_TIMEOUT_MS = 1000;

interface Adopted {
  readonly source: AdoptedSource;
  readonly policy: InstructionsPolicy;
  readonly identity: string;
  awaySince: number | undefined;
  /** A read that took too long and is still under way: it is not waited for twice. */
  late: Promise<unknown> | undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}

function isSource(value: unknown): value is InstructionsSourceObject {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function readObject(value: unknown): Awaitable<unknown> {
  if (!isSource(value)) throw new TypeError('the source is not an object');
  const getInstructions: unknown = Reflect.get(value, 'getInstructions');
  if (typeof getInstructions === 'function') return Reflect.apply(getInstructions, value, []) as unknown;
  return Reflect.get(value, 'instructions') as unknown;
}

function readSource(source: AdoptedSource): Awaitable<unknown> {
  const object: unknown = typeof source === 'function' ? source() : source;
  return isThenable(object) ? Promise.resolve(object).then(readObject) : readObject(object);
}

/** The sources that the host owns, read again for every request, since a reconnect may replace what is inside. */
export class AdoptedSources {
  readonly #adopted: Map<string, Adopted> = new Map();
  readonly #clock: Clock;
  readonly #observer: Observer;

  constructor(clock: Clock, observer: Observer) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /**
   * Adopts a source; an id that was adopted before is replaced.
   *
   * @throws InstructionsError `INVALID_OPTION` when the source has no instructions to read, or an option is wrong
   */
  adopt(id: string, source: AdoptedSource, options?: AdoptOptions): void {
    if (typeof id !== 'string' || id === '') {
      throw notExpected('INVALID_OPTION', 'adopt: id', 'a string that is not empty', kindOf(id));
    }
    const usable =
      typeof source === 'function' ||
      (isSource(source) && ('getInstructions' in source || 'instructions' in source));
    if (!usable) {
      const expected = '{ getInstructions() }, { instructions } or a function';
      throw notExpected('INVALID_OPTION', `adopt "${showText(id)}": source`, expected, kindOf(source));
    }
    const given: unknown = options ?? {};
    if (!isRecord(given)) {
      throw notExpected('INVALID_OPTION', `adopt "${showText(id)}": options`, 'an object', kindOf(given));
    }
    const { identity = id, ...rest } = options ?? {};
    if (typeof identity !== 'string') {
      throw notExpected('INVALID_OPTION', `adopt "${showText(id)}": identity`, 'a string', kindOf(identity));
    }
    const policy = parseInstructionsOptions(id, rest);
    this.#adopted.set(id, { source, policy, identity, awaySince: undefined, late: undefined });
  }

  /** @returns whether there was such a source */
  remove(id: string): boolean {
    return this.#adopted.delete(id);
  }

  has(id: string): boolean {
    return this.#adopted.has(id);
  }

  get ids(): readonly string[] {
    return [...this.#adopted.keys()];
  }

  /** Reads every source. Sources that answer at once cost no turn of the event loop. Never rejects. */
  async read(): Promise<readonly AdoptedReading[]> {
    // All limits start now: sources that hang are waited for together, not one after the other.
    const started = [...this.#adopted].map(([id, adopted]) => {
      const value = this.#start(adopted);
      return { id, adopted, result: value instanceof Promise ? this.#inTime(adopted, value) : value };
    });
    const readings: AdoptedReading[] = [];
    for (const { id, adopted, result } of started) {
      readings.push(this.#settle(id, adopted, result instanceof Promise ? await result : result));
    }
    return readings;
  }

  #start(adopted: Adopted): Result | Promise<Result> {
    if (adopted.late !== undefined) return { failed: 'slow' };
    try {
      const value = readSource(adopted.source);
      if (!isThenable(value)) return { value };
      return Promise.resolve(value).then(
        (read) => ({ value: read }),
        () => ({ failed: 'threw' as const }),
      );
    } catch {
      return { failed: 'threw' };
    }
  }

  async #inTime(adopted: Adopted, reading: Promise<Result>): Promise<Result> {
    let timer: unknown;
    const tooLate = new Promise<Result>((resolve) => {
      timer = this.#clock.setTimeout(() => resolve({ failed: 'slow' }), SOURCE_TIMEOUT_MS);
    });
    const result = await Promise.race([reading, tooLate]);
    this.#clock.clearTimeout(timer);
    if (result.failed === 'slow') {
      const late = reading.finally(() => {
        if (adopted.late === late) adopted.late = undefined;
      });
      adopted.late = late;
    }
    return result;
  }

  #settle(id: string, adopted: Adopted, result: Result): AdoptedReading {
    const { policy, identity } = adopted;
    if (result.failed === undefined) {
      adopted.awaySince = undefined;
      return { id, identity, policy, value: result.value, awaySince: undefined };
    }
    if (adopted.awaySince === undefined) {
      adopted.awaySince = this.#clock.elapsed();
      this.#observer.emit('warn', 'server-lost', { server: id, reason: `adopted-source-${result.failed}` });
    }
    return { id, identity, policy, value: undefined, awaySince: adopted.awaySince };
  }
}

interface Result {
  readonly value?: unknown;
  readonly failed?: 'slow' | 'threw';
}
