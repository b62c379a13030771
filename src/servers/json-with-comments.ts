import { endOfJsonString } from '../formats/json-strings.js';

/** Where a text stops being JSON. */
export class JsonSyntaxError extends Error {
  /** From 1. */
  readonly line: number;

  constructor(line: number) {
    super(`line ${line}`);
    this.line = line;
  }
}

/** A key that stands twice in one object. */
export interface RepeatedKey {
  /** The keys from the outside in; an item of an array has its number. */
  readonly path: readonly string[];
  /** Where it stands again, from 1. */
  readonly line: number;
}

/** What a text holds. */
export interface ParsedJson {
  /** Of a key that stands twice, the last value. */
  readonly value: unknown;
  readonly repeated: readonly RepeatedKey[];
}

/** Deeper than any configuration; the call stack holds many times as much. */
const DEEPEST = 200;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const SPACE: ReadonlySet<string> = new Set([' ', '\t', '\n', '\r']);

/**
 * Parses JSON as editors write it: with comments, commas before a closing bracket, and a byte order mark.
 *
 * @throws JsonSyntaxError which shows nothing of the text
 */
export function parseJsonWithComments(text: string): ParsedJson {
  return new JsonReader(text.startsWith('\uFEFF') ? text.slice(1) : text).read();
}

/** Goes through the text once, in time linear to its length. */
class JsonReader {
  readonly #text: string;
  #at = 0;
  readonly #path: string[] = [];
  readonly #repeated: RepeatedKey[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): ParsedJson {
    const value = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) this.#fail();
    return { value, repeated: this.#repeated };
  }

  #value(): unknown {
    this.#skip();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(): object {
    const entries: [string, unknown][] = [];
    const keys = new Set<string>();
    this.#list('}', () => {
      const start = this.#at;
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') this.#fail();
      this.#at += 1;
      this.#path.push(key);
      if (keys.has(key)) this.#repeated.push({ path: [...this.#path], line: this.#lineOf(start) });
      keys.add(key);
      entries.push([key, this.#value()]);
      this.#path.pop();
    });
    // Entries, so that `__proto__` is a key like others.
    return Object.fromEntries(entries);
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#list(']', () => {
      this.#path.push(String(items.length));
      items.push(this.#value());
      this.#path.pop();
    });
    return items;
  }

  /** What stands between brackets, with commas between and perhaps one after it. */
  #list(close: string, member: () => void): void {
    if (this.#path.length >= DEEPEST) this.#fail();
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      member();
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#text[this.#at] !== close) this.#fail();
    }
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') this.#fail();
    const end = endOfJsonString(this.#text, start);
    if (end === -1) this.#fail();
    this.#at = end + 1;
    try {
      return String(JSON.parse(this.#text.slice(start, this.#at)));
    } catch {
      return this.#fail(start);
    }
  }

  #scalar(): unknown {
    SCALAR.lastIndex = this.#at;
    const [word] = SCALAR.exec(this.#text) ?? this.#fail();
    this.#at += word.length;
    const value: unknown = JSON.parse(word);
    return value;
  }

  /** White space and comments. */
  #skip(): void {
    for (;;) {
      while (SPACE.has(this.#text[this.#at] ?? '')) this.#at += 1;
      const isLine = this.#text.startsWith('//', this.#at);
      if (!isLine && !this.#text.startsWith('/*', this.#at)) return;
      const end = this.#text.indexOf(isLine ? '\n' : '*/', this.#at + 2);
      if (end === -1 && !isLine) this.#fail();
      this.#at = end === -1 ? this.#text.length : end + (isLine ? 1 : 2);
    }
  }

  #lineOf(at: number): number {
    return this.#text.slice(0, at).split('\n').length;
  }

  #fail(at: number = this.#at): never {
    throw new JsonSyntaxError(this.#lineOf(at));
  }
}
