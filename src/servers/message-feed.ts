import type { JSONRPCMessage } from '@modelcontextprotocol/client';

import { isDeeper } from './json-depth.js';
import { LineReader } from './line-reader.js';

const maxLineBytes = 10 * 1024 * 1024;
/** No message of a server that works nests as deep; the SDK runs out of stack at a few thousand. */
const maxDepth = 1_000;
/** How long the lines of one server may hold up everybody else, in ms. */
const turnMs = 5;
/** How many lines are a flood, and the time in which they come, in ms. */
const floodLines = 50_000;
const floodMs = 10_000;

/** What a feed is connected to. */
export interface FeedEnds {
  /** Throws for what is no message. */
  readonly parse: (line: string) => JSONRPCMessage;
  /** Takes a message; must not throw. */
  readonly deliver: (message: JSONRPCMessage) => void;
  /** Nothing more is to be read until {@link FeedEnds.resume}. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Makes messages of what a process writes to its standard output, and bounds how much of the host's time they take. */
export class MessageFeed {
  readonly #ends: FeedEnds;
  readonly #lines: LineReader = new LineReader(maxLineBytes);
  #ignoredLines = 0;
  #flooded = false;
  #stopped = false;
  #waitingLines: readonly string[] = [];
  #windowLines = 0;
  #windowStart = 0;

  constructor(ends: FeedEnds) {
    this.#ends = ends;
  }

  /** How many lines were no messages. */
  get ignoredLines(): number {
    return this.#ignoredLines;
  }

  /** Whether there were too many lines. */
  get flooded(): boolean {
    return this.#flooded;
  }

  /**
   * @param chunk the next bytes
   * @throws RangeError when a line is over the limit, or there are too many
   */
  push(chunk: Buffer): void {
    const lines = this.#lines.push(chunk);
    this.#countLines(lines.length);
    this.#waitingLines = this.#waitingLines.length === 0 ? lines : [...this.#waitingLines, ...lines];
    this.#deliverSome();
  }

  /** What waits is dropped. */
  stop(): void {
    this.#stopped = true;
    this.#waitingLines = [];
  }

  /** No server has so much to say; one that does would keep the host from everything else. */
  #countLines(count: number): void {
    const now = performance.now();
    if (now - this.#windowStart > floodMs) {
      this.#windowStart = now;
      this.#windowLines = 0;
    }
    this.#windowLines += count;
    this.#flooded ||= this.#windowLines > floodLines;
    if (this.#flooded) throw new RangeError('too many lines');
  }

  /** Delivers lines for a moment, and leaves the rest, and the pipe, until others had their turn. */
  #deliverSome(): void {
    const endsAt = performance.now() + turnMs;
    const lines = this.#waitingLines;
    let next = 0;
    while (next < lines.length && !this.#stopped && performance.now() < endsAt) {
      this.#deliver(lines[next] ?? '');
      next += 1;
    }
    if (this.#stopped) return;
    this.#waitingLines = lines.slice(next);
    if (this.#waitingLines.length === 0) return this.#ends.resume();
    this.#ends.pause();
    setImmediate(() => this.#deliverSome());
  }

  #deliver(line: string): void {
    const text = line.replace(/^\uFEFF/u, '').trim();
    if (text === '') return;
    const message = this.#parse(text);
    if (message === undefined) this.#ignoredLines += 1;
    else this.#ends.deliver(message);
  }

  #parse(text: string): JSONRPCMessage | undefined {
    // Cheap for what is plainly no message; the SDK makes a long error of each.
    if (!text.startsWith('{') || !text.includes('"jsonrpc"') || isDeeper(text, maxDepth)) return undefined;
    try {
      return this.#ends.parse(text);
    } catch {
      return undefined;
    }
  }
}
