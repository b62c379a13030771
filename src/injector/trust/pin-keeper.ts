import type { Observer } from '../../observe/observer.js';
import type { Clock } from '../../servers/clock.js';
import { withinLimit } from '../../stores/time-limit.js';
import type * as PinFile from './pin-file.js';
import { formatPins, parsePins } from './pin-file-format.js';
import type { Pins } from './pins.js';

/** How often it is looked whether the file changed, in ms. */
const LOOK_EVERY_MS = 1000;
/** How long reading may take, in ms: a file on a disk that is away gives no error, it does not answer. */
const READ_LIMIT_MS = 5000;
/** The same of saving, which may wait for another process before it starts. */
const SAVE_LIMIT_MS = 10_000;

/** How the file is reached. */
export type PinFiles = Pick<typeof PinFile, 'versionOf' | 'readPinFile' | 'updatePinFile'>;

/** What a keeper works with. */
export interface PinKeeperParts {
  /** SHA-256 in hex. */
  readonly hash: (text: string) => string;
  readonly observer: Observer;
  readonly clock: Clock;
  /** Loads what reaches the file. Default: the file system */
  readonly files?: () => Promise<PinFiles>;
}

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
  readonly #files: () => Promise<PinFiles>;
  #pins: Pins | 'unread' | 'failed';
  #version: string | undefined;
  #lookedAt: number | undefined;
  #failure: string | undefined;
  /** One step at a time, in the order of the calls. */
  #queue: Promise<unknown> = Promise.resolve();
  #isLooking = false;
  /** Whether a step that took too long still runs: another would not be answered either. */
  #hangs = false;

  constructor(pins: string | Readonly<Record<string, string>> | undefined, parts: PinKeeperParts) {
    this.#path = typeof pins === 'string' ? pins : undefined;
    this.#hash = parts.hash;
    this.#observer = parts.observer;
    this.#clock = parts.clock;
    this.#files = parts.files ?? loadPinFile;
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

  /** @returns a promise while it is looked whether the file changed, `undefined` when that would be too soon or in vain */
  look(): Promise<void> | undefined {
    const now = this.#clock.elapsed();
    const isSoon = this.#lookedAt !== undefined && now - this.#lookedAt < LOOK_EVERY_MS;
    if (this.#path === undefined || isSoon || this.#isLooking || this.#hangs) return undefined;
    this.#lookedAt = now;
    this.#isLooking = true;
    return this.#inTurn((path) => this.#load(path)).finally(() => {
      this.#isLooking = false;
    });
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
      const found = await this.#within(READ_LIMIT_MS, async () => {
        const { versionOf, readPinFile } = await this.#files();
        const isSame = this.#version !== undefined && (await versionOf(path)) === this.#version;
        return isSame ? undefined : await readPinFile(path);
      });
      if (found === undefined) return;
      this.#pins = found.text === undefined ? new Map() : parsePins(found.text, this.#hash);
      this.#version = found.version;
      this.#failure = undefined;
    } catch (error) {
      this.#fail(codeOf(error));
    }
  }

  async #save(path: string, change: (pins: Pins) => Pins): Promise<void> {
    this.#pins = await this.#within(SAVE_LIMIT_MS, async (isLate) => {
      const { updatePinFile } = await this.#files();
      let changed: Pins = new Map();
      await updatePinFile(path, (text) => {
        // Whoever wanted this was told that it was not saved.
        if (isLate()) return undefined;
        const pins = text === undefined ? new Map() : parsePins(text, this.#hash);
        changed = change(pins);
        return changed === pins ? undefined : formatPins(changed);
      });
      return changed;
    });
    this.#version = undefined;
    this.#failure = undefined;
  }

  /** @throws what the step throws, or an error `timed-out` after the limit, and at once while an earlier step still hangs */
  async #within<Value>(limitMs: number, step: (isLate: () => boolean) => Promise<Value>): Promise<Value> {
    if (this.#hangs) throw new TimedOut();
    let isLate = false;
    const running = step(() => isLate);
    const limited = await withinLimit(running, limitMs, this.#clock);
    if (limited.ended === 'done') return limited.value;
    if (limited.ended === 'threw') throw limited.error;
    isLate = true;
    this.#hangs = true;
    const goOn = (): void => {
      this.#hangs = false;
    };
    running.then(goOn, goOn);
    throw new TimedOut();
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

class TimedOut extends Error {
  readonly code = 'timed-out';
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
