import { EventEmitter } from 'node:events';
import type { LedgerStore } from '../../src/stores/ledger-store.js';

type Behaviour = 'works' | 'throws' | 'rejects' | 'hangs' | 'refuses' | 'hides' | 'lies';

/** A store that behaves as badly as it is told to, for the operations it is told to. */
export class ScriptedStore extends EventEmitter implements LedgerStore {
  readonly values: Map<string, string> = new Map();
  readonly calls: string[] = [];
  behaviour: Behaviour = 'works';
  /** Operations that `behaviour` applies to; the others work. */
  operations: readonly string[] = ['get', 'set', 'delete'];
  readonly #released: (() => void)[] = [];

  // Typed as an untyped store would be.
  // oxlint-disable-next-line typescript/no-explicit-any
  get(key: string): Promise<any> {
    return this.#do('get', undefined, () => this.values.get(key));
  }

  set(key: string, value: string): Promise<unknown> {
    return this.#do('set', true, () => this.values.set(key, value) && true);
  }

  delete(key: string): Promise<unknown> {
    return this.#do('delete', true, () => this.values.delete(key));
  }

  /** Lets every call that hangs end well, and further ones work. */
  release(): void {
    this.behaviour = 'works';
    for (const release of this.#released.splice(0)) release();
  }

  #do(operation: string, innocent: unknown, work: () => unknown): Promise<unknown> {
    this.calls.push(operation);
    const error = Object.assign(new Error('redis://user:S3CRET@host is down'), { code: 'ECONNREFUSED' });
    switch (this.operations.includes(operation) ? this.behaviour : 'works') {
      case 'throws':
        throw error;
      case 'rejects':
        return Promise.reject(error);
      case 'hangs':
        return new Promise((resolve) => {
          this.#released.push(() => resolve(work()));
        });
      case 'refuses':
        return Promise.resolve(false);
      case 'hides':
        this.emit('error', error);
        return Promise.resolve(innocent);
      case 'lies':
        return Promise.resolve({ names: 'not text' });
      default:
        return Promise.resolve(work());
    }
  }
}
