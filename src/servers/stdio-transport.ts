import type { ChildProcess } from 'node:child_process';

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import spawn from 'cross-spawn';

import { forgetAtExit, killAtExit } from './exit-hook.js';
import { MessageFeed } from './message-feed.js';
import { markerName } from './process-row.js';
import { ProcessTree } from './process-tree.js';
import type { Sdk } from './sdk.js';
import type { CheckedStdioServer } from './server-options.js';
import type { ProcessTrace } from './server-state.js';
import { TextTail } from './text-tail.js';

const tailChars = 8_192;
/** What a dead root may still have in its pipe; a grandchild that holds the pipe open must not delay the news. */
const drainMs = 100;
/** How long after its pipe broke a process may take to be seen ended. */
const newsMs = 2_000;

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
  /** How many processes could not be ended. */
  leftProcesses = 0;

  readonly #config: CheckedStdioServer;
  readonly #sdk: Sdk;
  readonly #tree: ProcessTree = new ProcessTree();
  readonly #feed: MessageFeed;
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

  constructor(config: CheckedStdioServer, sdk: Sdk) {
    this.#config = config;
    this.#sdk = sdk;
    this.#feed = new MessageFeed({
      parse: (line) => sdk.deserializeMessage(line),
      deliver: (message) => this.#deliver(message),
      pause: () => void this.#child?.stdout?.pause(),
      resume: () => void this.#child?.stdout?.resume(),
    });
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

  /** Whether there were so many lines that the connection was ended. */
  get flooded(): boolean {
    return this.#feed.flooded;
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
    const child = this.#child;
    const trace = {
      // Where nothing was started, Node puts the number of the system's error there.
      exitCode: child?.pid === undefined ? undefined : (child.exitCode ?? undefined),
      signal: child?.signalCode ?? undefined,
      ignoredLines: this.#feed.ignoredLines,
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
    // At once, and not when its start is told: the host may end in between.
    if (child.pid !== undefined) killAtExit(this.#tree);
    child.stdin?.on('error', (error) => {
      this.#fail(error);
      void this.#losePipe();
    });
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stdout?.on('error', (error) => this.#fail(error));
    child.stdout?.once('close', () => void this.#losePipe());
    child.stderr?.on('data', (chunk: Buffer) => this.#tail.push(chunk));
    child.stderr?.on('error', () => {});
    child.once('exit', (code) => {
      // Where its pipe broke, the SDK may have closed before the news came that the process had ended.
      this.#endedByItself ||= this.#closing === undefined || (this.#pipeBroken && code !== null);
      this.#resolveExited();
      const timer = setTimeout(() => this.#finish(), drainMs);
      child.once('close', () => {
        clearTimeout(timer);
        this.#finish();
      });
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.on('error', (error) => {
        if (child.pid === undefined) this.#finish();
        reject(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || stdin === null || !stdin.writable) {
      void this.#losePipe();
      throw new this.#sdk.SdkError(this.#sdk.SdkErrorCode.NotConnected, 'Not connected');
    }
    await new Promise<void>((resolve, reject) => {
      stdin.write(this.#sdk.serializeMessage(message), (error) => {
        if (!error) {
          resolve();
          return;
        }
        // Before the caller knows, who asks why: the news of the process's end, and of the pipe's, may come later.
        void this.#losePipe();
        reject(error);
      });
    });
  }

  /** Ends the whole tree and resolves when it is gone, or cannot be ended. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#feed.stop();
    if (this.#child === undefined) return this.#finish();
    this.leftProcesses = await this.#tree.end();
    this.#finish();
    await this.#ended;
    if (this.leftProcesses === 0) forgetAtExit(this.#tree);
  }

  #finish(): void {
    this.#feed.stop();
    const child = this.#child;
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    child?.stdin?.destroy();
    this.#resolveEnded();
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.onclose?.();
    } catch (error) {
      this.#fail(error);
    }
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
      this.#feed.push(chunk);
    } catch (error) {
      this.overflowed = !this.flooded;
      this.#fail(error);
      void this.close();
      // Nobody reads on, so whoever goes on writing ends of that.
      this.#child?.stdout?.destroy();
    }
  }

  /** What the SDK or the host makes of a message must not come back: here, nobody stands between it and the end of the host. */
  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    try {
      this.onerror?.(error instanceof Error ? error : new Error('unreadable output'));
    } catch {
      // It was told; there is nobody else to tell.
    }
  }
}
