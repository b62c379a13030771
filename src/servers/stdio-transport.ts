import type { ChildProcess } from 'node:child_process';

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import spawn from 'cross-spawn';

import { forgetAtExit, killAtExit } from './exit-hook.js';
import { LineReader } from './line-reader.js';
import { markerName } from './process-table.js';
import { ProcessTree } from './process-tree.js';
import type { Sdk } from './sdk.js';
import type { CheckedStdioServer } from './server-options.js';
import type { ProcessTrace } from './server-state.js';
import { TextTail } from './text-tail.js';

const maxLineBytes = 10 * 1024 * 1024;
const tailChars = 8_192;
/** What a dead root may still have in its pipe; a grandchild that holds the pipe open must not delay the news. */
const drainMs = 100;
/** How long after its pipe broke a process may take to be seen ended. */
const newsMs = 2_000;
/** How long the lines of one server may hold up everybody else, in ms. */
const turnMs = 5;
/** How many lines are a flood, and the time in which they come, in ms. */
const floodLines = 50_000;
const floodMs = 10_000;

/**
 * A server as a child process. Unlike the SDK's transport it runs the server in a process group of its own, ends everything that
 * the server started, and knows how it ended. The SDK probes it in place, since its class is not the SDK's own.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Beside `pid`, what the SDK knows a child process by. Standard error is drained here. */
  readonly stderr: null = null;
  /** Whether a line was over the limit, which ends the connection. */
  overflowed = false;
  /** Whether there were so many lines that the connection was ended. */
  flooded = false;
  /** How many processes could not be ended. */
  leftProcesses = 0;

  readonly #config: CheckedStdioServer;
  readonly #sdk: Sdk;
  readonly #tree: ProcessTree = new ProcessTree();
  readonly #lines: LineReader = new LineReader(maxLineBytes);
  readonly #tail: TextTail = new TextTail(tailChars);
  readonly #ended: Promise<void>;
  readonly #exited: Promise<void>;
  #resolveEnded: () => void = () => {};
  #resolveExited: () => void = () => {};
  #child: ChildProcess | undefined;
  #closing: Promise<void> | undefined;
  #endedByItself = false;
  #pipeBroken = false;
  #isClosed = false;
  #ignoredLines = 0;
  #waitingLines: readonly string[] = [];
  #windowLines = 0;
  #windowStart = 0;

  constructor(config: CheckedStdioServer, sdk: Sdk) {
    this.#config = config;
    this.#sdk = sdk;
    this.#ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.#exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Whether the root of the tree ended before anybody closed it. */
  get endedByItself(): boolean {
    return this.#endedByItself;
  }

  /** Whether the process closed its input or its output, which a server must not while it serves; most have ended then. */
  get pipeBroken(): boolean {
    return this.#pipeBroken;
  }

  /** Where the process has ended by itself, or seems to, waits a moment for the news of how. */
  async settleEnd(): Promise<void> {
    if (!this.#endedByItself && !this.#pipeBroken) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, newsMs);
    });
    await Promise.race([this.#exited, patience]);
    clearTimeout(timer);
  }

  /** How the process ended, as far as it did, and the last it said. */
  get trace(): ProcessTrace {
    const trace = {
      exitCode: this.#child?.exitCode ?? undefined,
      signal: this.#child?.signalCode ?? undefined,
      ignoredLines: this.#ignoredLines,
      stderrTail: this.#tail.text,
    };
    // A status that is logged or saved as a whole must not bring along what a server printed, which may hold its credentials.
    return Object.defineProperty(trace, 'stderrTail', { enumerable: false });
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error('already started');
    const { command, args, env, cwd } = this.#config;
    const child = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...Object.fromEntries(env), [markerName]: this.#tree.markers },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    this.#tree.adopt(child);
    child.stdin?.on('error', (error) => {
      this.onerror?.(error);
      void this.#losePipe();
    });
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout?.on('error', (error) => this.onerror?.(error));
    child.stdout?.once('close', () => void this.#losePipe());
    child.stderr?.on('data', (chunk: Buffer) => this.#tail.push(chunk));
    child.stderr?.on('error', () => {});
    child.once('exit', () => {
      this.#endedByItself ||= this.#closing === undefined;
      this.#resolveExited();
      const timer = setTimeout(() => this.#finish(), drainMs);
      child.once('close', () => {
        clearTimeout(timer);
        this.#finish();
      });
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => {
        killAtExit(this.#tree);
        resolve();
      });
      child.once('error', (error) => {
        if (child.pid === undefined) this.#finish();
        reject(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable)
      throw new this.#sdk.SdkError(this.#sdk.SdkErrorCode.NotConnected, 'Not connected');
    await new Promise<void>((resolve, reject) => {
      stdin.write(this.#sdk.serializeMessage(message), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Ends the whole tree and resolves when it is gone, or cannot be ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#child === undefined) return this.#finish();
    this.leftProcesses = await this.#tree.end();
    this.#finish();
    await this.#ended;
    if (this.leftProcesses === 0) forgetAtExit(this.#tree);
  }

  #finish(): void {
    const child = this.#child;
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    child?.stdin?.destroy();
    this.#resolveEnded();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onclose?.();
  }

  /** One end of the pipe is gone, so the process is, or will be, and the news of its end may come later; or it lives on, of no use. */
  async #losePipe(): Promise<void> {
    if (this.#closing !== undefined || this.#pipeBroken || this.#child?.pid === undefined) return;
    this.#pipeBroken = true;
    await this.settleEnd();
    if (!this.#endedByItself) this.#finish();
  }

  #read(chunk: Buffer): void {
    if (this.#closing !== undefined) return;
    try {
      const lines = this.#lines.push(chunk);
      this.#countLines(lines.length);
      this.#waitingLines = this.#waitingLines.length === 0 ? lines : [...this.#waitingLines, ...lines];
    } catch (error) {
      this.overflowed = !this.flooded;
      this.onerror?.(error instanceof Error ? error : new Error('unreadable output'));
      void this.close();
      // Nobody reads on, so whoever goes on writing ends of that.
      this.#child?.stdout?.destroy();
      return;
    }
    this.#deliverSome();
  }

  /** No server has so much to say; one that does would keep the host from everything else. */
  #countLines(count: number): void {
    const now = performance.now();
    if (now - this.#windowStart > floodMs) {
      this.#windowStart = now;
      this.#windowLines = 0;
    }
    this.#windowLines += count;
    this.flooded ||= this.#windowLines > floodLines;
    if (this.flooded) throw new RangeError('too many lines');
  }

  /** Delivers lines for a moment, and leaves the rest, and the pipe, until others had their turn. */
  #deliverSome(): void {
    const stdout = this.#child?.stdout;
    const endsAt = performance.now() + turnMs;
    const lines = this.#waitingLines;
    let next = 0;
    while (next < lines.length && performance.now() < endsAt) {
      this.#deliver(lines[next] ?? '');
      next += 1;
    }
    this.#waitingLines = lines.slice(next);
    if (this.#waitingLines.length === 0) return void stdout?.resume();
    stdout?.pause();
    setImmediate(() => {
      if (this.#closing === undefined && !this.#isClosed) this.#deliverSome();
    });
  }

  #deliver(line: string): void {
    const text = line.replace(/^\uFEFF/u, '').trim();
    if (text === '') return;
    let message: JSONRPCMessage;
    // Cheap for what is plainly no message; the SDK makes a long error of each.
    if (!text.startsWith('{') || !text.includes('"jsonrpc"')) {
      this.#ignoredLines += 1;
      return;
    }
    try {
      message = this.#sdk.deserializeMessage(text);
    } catch {
      this.#ignoredLines += 1;
      return;
    }
    this.onmessage?.(message);
  }
}
