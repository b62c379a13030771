import type { Observer } from '../../observe/observer.js';
import type { Clock } from '../../servers/clock.js';
import type * as PinFile from './pin-file.js';
import { formatPins, parsePins } from './pin-file-format.js';
import type { PinnedText, Pins } from './pins.js';

/** How often it is looked whether the file changed, in ms. */
const LOOK_EVERY_MS = 1000;

/** What became of a change; `code` says why it is not saved. */
export interface Updated {
  readonly code: string | undefined;
}

/** Holds the pins, and the file that they are in. A file that cannot be used never counts as an empty one. */
export class PinKeeper {
  readonly #path: string | undefined;
  readonly #hash: (text: string) => string;
  readonly #observer: Observer;
  readonly #clock: Clock;
  #pins: Pins | 'unread' | 'failed';
  #version: string | undefined;
  #lookedAt: number | undefined;
  #failure: string | undefined;
  /** One step at a time, in the order of the calls. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(
    pins: string | Readonly<Record<string, string>> | undefined,
    parts: { readonly hash: (text: string) => string; readonly observer: Observer; readonly clock: Clock },
  ) {
    this.#path = typeof pins === 'string' ? pins : undefined;
    this.#hash = parts.hash;
    this.#observer = parts.observer;
    this.#clock = parts.clock;
    this.#pins = typeof pins === 'string' ? 'unread' : fromRecord(pins ?? {});
  }

  /** The pins as they are known now. */
  get pins(): Pins | 'unread' | 'failed' {
    return this.#pins;
  }

  /** The pins, none while they cannot be known. */
  get known(): Pins {
    return typeof this.#pins === 'string' ? new Map() : this.#pins;
  }

  get hasFile(): boolean {
    return this.#path !== undefined;
  }

  /** Without a file the pins live here only. */
  set(pins: Pins): void {
    this.#pins = pins;
  }

  /** @returns a promise while it is looked whether the file changed, `undefined` when that would be too soon */
  look(): Promise<void> | undefined {
    const now = this.#clock.elapsed();
    const isSoon = this.#lookedAt !== undefined && now - this.#lookedAt < LOOK_EVERY_MS;
    if (this.#path === undefined || isSoon) return undefined;
    this.#lookedAt = now;
    return this.#inTurn((path) => this.#load(path));
  }

  /** The pins as they are in the file now. */
  async read(): Promise<Pins | 'failed'> {
    if (this.#path !== undefined) await this.#inTurn((path) => this.#load(path));
    return this.#pins === 'unread' ? 'failed' : this.#pins;
  }

  /** @param change makes the new pins; called when no other process can change the file */
  async update(change: (pins: Pins) => Pins): Promise<Updated> {
    if (this.#path === undefined) {
      this.#pins = change(this.known);
      return { code: undefined };
    }
    let code: string | undefined;
    await this.#inTurn(async (path) => {
      try {
        await this.#save(path, change);
      } catch (error) {
        code = codeOf(error);
        // Only saving failed: what the file says still holds.
        this.#observer.emit('error', 'pins-failed', { reason: 'not-saved', code });
      }
    });
    return { code };
  }

  async #load(path: string): Promise<void> {
    try {
      const file = await loadPinFile();
      if (this.#version !== undefined && (await file.versionOf(path)) === this.#version) return;
      const { text, version } = await file.readPinFile(path);
      this.#pins = text === undefined ? new Map() : parsePins(text, this.#hash);
      this.#version = version;
      this.#failure = undefined;
    } catch (error) {
      this.#fail(codeOf(error));
    }
  }

  async #save(path: string, change: (pins: Pins) => Pins): Promise<void> {
    const file = await loadPinFile();
    let changed: Pins = new Map();
    await file.updatePinFile(path, (text) => {
      const pins =
        text === undefined ? new Map<string, readonly PinnedText[]>() : parsePins(text, this.#hash);
      changed = change(pins);
      return changed === pins ? undefined : formatPins(changed);
    });
    this.#pins = changed;
    this.#version = undefined;
    this.#failure = undefined;
  }

  #fail(code: string): void {
    this.#pins = 'failed';
    this.#version = undefined;
    if (this.#failure === code) return;
    this.#failure = code;
    this.#observer.emit('error', 'pins-failed', { reason: 'not-read', code });
  }

  async #inTurn(task: (path: string) => Promise<void>): Promise<void> {
    const path = this.#path;
    if (path === undefined) return;
    const turn = this.#queue.then(() => task(path));
    this.#queue = turn;
    await turn;
  }
}

/** On demand, because it needs Node. */
async function loadPinFile(): Promise<typeof PinFile> {
  return await import('#node/injector/trust/pin-file.js');
}

function fromRecord(record: Readonly<Record<string, string>>): Pins {
  return new Map(
    Object.entries(record).map(([identity, sha256]) => [
      identity,
      [{ server: '', era: null, sha256: sha256.toLowerCase(), text: undefined }],
    ]),
  );
}

/** A word for the log; messages of the system hold paths. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'failed';
}
