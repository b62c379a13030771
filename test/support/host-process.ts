import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MessagesRequest } from '../../src/formats/messages-request.js';
import { compiledManifest } from './compiled-manifest.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The library as JavaScript, for processes of their own; compiled here, so that it is never an older build that is tested. */
export class CompiledLibrary implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'compiled-'));

  constructor() {
    const compiler = join(repository, 'node_modules/typescript/bin/tsc');
    const options = ['-p', 'tsconfig.build.json', '--declaration', 'false', '--outDir', this.path];
    try {
      execFileSync(process.execPath, [compiler, ...options, '--isolatedDeclarations', 'false'], {
        cwd: repository,
      });
    } catch {
      // What does not compile does not run; what runs is tested.
    }
    writeFileSync(join(this.path, 'package.json'), compiledManifest());
    symlinkSync(join(repository, 'node_modules'), join(this.path, 'node_modules'));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** What a host process sent. */
export interface Sent {
  readonly messages: MessagesRequest['messages'];
  readonly reason: string;
}

interface Reply {
  readonly number: number;
  readonly answer?: unknown;
  readonly error?: string;
}

/** A host in a process of its own, with one conversation. */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #waiting: Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }> =
    new Map();
  #number = 0;

  private constructor(library: CompiledLibrary, place: string) {
    const script = join(repository, 'test/fixtures/hosts/conversation-host.mjs');
    this.#child = fork(script, [library.path, place], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', (reply: Reply) => {
      const waiting = this.#waiting.get(reply.number);
      if (reply.error === undefined) waiting?.resolve(reply.answer);
      else waiting?.reject(new Error(reply.error));
    });
  }

  /** @param place where conversations are kept: a URL of Redis, or a folder */
  static async start(library: CompiledLibrary, place: string): Promise<HostProcess> {
    const host = new HostProcess(library, place);
    await new Promise((resolve, reject) => host.#waiting.set(0, { resolve, reject }));
    return host;
  }

  async adopt(id: string, text: string): Promise<void> {
    await this.#do({ action: 'adopt', id, text });
  }

  async remove(id: string): Promise<void> {
    await this.#do({ action: 'remove', id });
  }

  async prepare(messages: MessagesRequest['messages']): Promise<Sent> {
    return (await this.#do({ action: 'prepare', messages })) as Sent;
  }

  async commit(): Promise<void> {
    await this.#do({ action: 'commit' });
  }

  /** Prepares and commits, as for a request that was answered. */
  async send(messages: MessagesRequest['messages']): Promise<Sent> {
    const sent = await this.prepare(messages);
    await this.commit();
    return sent;
  }

  /** Ends it in good order. */
  async close(): Promise<void> {
    await this.#do({ action: 'close' });
    await this.kill();
  }

  /** Kills it on the spot. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  #do(action: object): Promise<unknown> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#child.send({ number, ...action });
    });
  }
}
