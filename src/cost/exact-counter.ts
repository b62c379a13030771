import { BoundedCache } from './bounded-cache.js';
import { maxTokensPerByte } from './calibration.js';
import type { NotCounted } from './count.js';
import { familyOf } from './model-family.js';
import { utf8Length } from './utf8.js';

/** What can count a request exactly: an Anthropic client, or anything else with this one method. */
export interface CountingClient {
  readonly messages: {
    countTokens(
      body: { model: string; messages: { role: 'user'; content: { type: 'text'; text: string }[] }[] },
      options?: { signal?: AbortSignal; timeout?: number; maxRetries?: number },
    ): PromiseLike<{ input_tokens: number }>;
  };
}

/** What {@link ExactCounter} can be told. */
export interface ExactCounterOptions {
  /** How long one answer may take, in milliseconds. @default 5000 */
  readonly timeoutMs?: number;
  /** Told when a text could not be counted. Never the text. */
  readonly onFailure?: (model: string, reason: NotCounted) => void;
  /** The time in milliseconds, of any origin. @default performance.now */
  readonly now?: () => number;
  /** Calls back after some milliseconds; returns what cancels that. @default setTimeout */
  readonly after?: (ms: number, callback: () => void) => () => void;
}

const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;
const maxWaiting = 256;
const maxKnown = 4_000;
const maxTries = 3;
// Texts around the block that no tokenizer joins with it.
const before = 'The text to be counted starts below.';
const after = 'The text to be counted ends above.';

/**
 * Counts texts with the API of the model's maker, in the background, one at a time, each once for every model family. The
 * cost of a text is the count of it between two fixed texts, less the count of those two alone: a text counted by itself
 * is a token off. After a failure nothing is asked for a minute, then for two, up to an hour.
 */
export class ExactCounter {
  readonly #client: CountingClient;
  readonly #options: Required<ExactCounterOptions>;
  readonly #counted: BoundedCache<number> = new BoundedCache(maxKnown);
  readonly #failures: BoundedCache<{ readonly reason: NotCounted; readonly tries: number }> =
    new BoundedCache(maxKnown);
  /** The two fixed texts alone, by model: frames differ within a family. */
  readonly #frames: BoundedCache<number> = new BoundedCache(64);
  readonly #waiting: Map<string, { readonly text: string; readonly model: string }> = new Map();
  #isRunning = false;
  #pauseMs = firstPauseMs;
  #resumeAt = 0;
  /** Why nothing is asked until then. */
  #pausedFor: NotCounted = 'pending';
  readonly #closing: AbortController = new AbortController();

  /**
   * @param client counts requests
   * @param options see {@link ExactCounterOptions}
   */
  constructor(client: CountingClient, options: ExactCounterOptions = {}) {
    this.#client = client;
    this.#options = {
      timeoutMs: options.timeoutMs ?? 5_000,
      onFailure: options.onFailure ?? (() => undefined),
      now: options.now ?? (() => performance.now()),
      after:
        options.after ??
        ((ms, callback) => {
          const timer = setTimeout(callback, ms);
          return () => clearTimeout(timer);
        }),
    };
  }

  /**
   * What is known of a text; asks for it in the background when nothing is.
   *
   * @param text a block's text
   * @param key identifies the text: a hash of it
   * @param model the request's model; `null` when it names none
   * @returns its tokens, or why there is no number
   */
  count(text: string, key: string, model: string | null): number | NotCounted {
    if (model === null || !/claude/i.test(model)) return 'other-model';
    const family = familyOf(model);
    const id = `${family === 'unknown' ? model : family} ${key}`;
    const known = this.#counted.get(id);
    if (known !== undefined) return known;
    const failure = this.#failures.get(id);
    if (this.#closing.signal.aborted) return failure?.reason ?? 'closed';
    const isPaused = this.#options.now() < this.#resumeAt;
    const isDue = !isPaused && (failure === undefined || failure.tries < maxTries);
    if (isDue && this.#waiting.size < maxWaiting && !this.#waiting.has(id)) {
      this.#waiting.set(id, { text, model });
      if (!this.#isRunning) void this.#run();
    }
    return failure?.reason ?? (isPaused ? this.#pausedFor : 'pending');
  }

  /** Asks for nothing more, and gives up what is being asked. */
  close(): void {
    this.#waiting.clear();
    this.#closing.abort();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    // Not before the request that brought the text here is on its way.
    await new Promise<void>((resolve) => {
      const cancel = this.#options.after(0, resolve);
      this.#closing.signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
    for (const [id, { text, model }] of this.#waiting) {
      const result = await this.#countOne(text, model);
      if (this.#closing.signal.aborted) break;
      this.#waiting.delete(id);
      if (typeof result === 'number') {
        this.#counted.set(id, result);
        this.#pauseMs = firstPauseMs;
      } else {
        this.#failed(id, model, result);
        break;
      }
    }
    this.#isRunning = false;
  }

  #failed(id: string, model: string, reason: NotCounted): void {
    this.#failures.set(id, { reason, tries: (this.#failures.get(id)?.tries ?? 0) + 1 });
    // What is in the queue is asked for again by the next request that carries it.
    this.#waiting.clear();
    this.#resumeAt = this.#options.now() + this.#pauseMs;
    this.#pausedFor = reason;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    this.#options.onFailure(model, reason);
  }

  async #countOne(text: string, model: string): Promise<number | NotCounted> {
    let frame = this.#frames.get(model);
    if (frame === undefined) {
      const alone = await this.#ask(model, [before, after]);
      if (typeof alone !== 'number') return alone;
      this.#frames.set(model, alone);
      frame = alone;
    }
    const whole = await this.#ask(model, [before, text, after]);
    if (typeof whole !== 'number') return whole;
    const tokens = whole - frame;
    return tokens > 0 && tokens <= utf8Length(text) * maxTokensPerByte ? tokens : 'implausible';
  }

  /** Never rejects, and never takes longer than the time limit, even if the client ignores its signal. */
  async #ask(model: string, texts: readonly string[]): Promise<number | NotCounted> {
    const { timeoutMs } = this.#options;
    const abort = new AbortController();
    const closing = this.#closing.signal;
    let cancel = (): void => undefined;
    const late = new Promise<NotCounted>((resolve) => {
      const giveUp = (reason: NotCounted): void => {
        resolve(reason);
        abort.abort();
      };
      const onClose = (): void => giveUp('closed');
      const cancelTimer = this.#options.after(timeoutMs, () => giveUp('timeout'));
      closing.addEventListener('abort', onClose);
      cancel = () => {
        cancelTimer();
        closing.removeEventListener('abort', onClose);
      };
    });
    try {
      const content = texts.map((text) => ({ type: 'text' as const, text }));
      const body = { model, messages: [{ role: 'user' as const, content }] };
      const options = { signal: abort.signal, timeout: timeoutMs, maxRetries: 0 };
      // What a client gives may be any thenable, well made or not.
      const answer = Promise.resolve(this.#client.messages.countTokens(body, options));
      return await Promise.race([answer.then(numberIn).catch(reasonOf), late]);
    } catch (error) {
      return reasonOf(error);
    } finally {
      cancel();
    }
  }
}

function numberIn(answer: unknown): number | NotCounted {
  const tokens: unknown =
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'input_tokens') : undefined;
  return Number.isSafeInteger(tokens) && Number(tokens) > 0 ? Number(tokens) : 'no-number';
}

function reasonOf(error: unknown): NotCounted {
  const status = statusOf(error);
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  if (status === 401 || status === 403) return 'forbidden';
  if (status === 404) return 'not-found';
  if (status >= 500) return 'overloaded';
  return status >= 400 ? 'refused' : 'unreachable';
}

/** The HTTP status that an error names; 0 when it names none, or looking fails. */
function statusOf(error: unknown): number {
  try {
    const status: unknown =
      typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined;
    return Number.isInteger(status) ? Number(status) : 0;
  } catch {
    return 0;
  }
}
