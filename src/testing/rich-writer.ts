import { blocksIn, expectThat, isBlockText, stringsIn } from './look.js';
import { withList } from './odd-messages.js';
import { says, user, type RichTurn } from './script.js';
import type { ContractSubject, ScriptedTurn } from './subject.js';

type Json = Readonly<Record<string, unknown>>;

/** What hosts put beside what an API names. */
const EXTRA = { kept: ['kept', 1, null] };

/**
 * Writes requests as hosts do who use more of an API than a text a message: several parts, parts that are no text, fields of their own,
 * system messages. How that looks is learned from what the subject writes and what the format makes of it.
 */
export class RichWriter<Request> {
  /** The texts that a message and a part of it hold beside what is said. */
  readonly words: ReadonlySet<string>;
  readonly #subject: ContractSubject<Request>;
  readonly #sample: unknown;
  readonly #roleKey: string | undefined;

  /**
   * @param subject how requests are written
   * @param place puts a block into a request
   */
  constructor(subject: ContractSubject<Request>, place: (request: Request) => Request) {
    this.#subject = subject;
    const sent = subject.messages(place(subject.request([user('hello')])));
    this.#sample = sent.find((message) => blocksIn(message).length > 0);
    expectThat(this.#sample !== undefined, 'no block was placed in a prompt');
    this.words = new Set(stringsIn(this.#sample).filter((text) => text !== 'hello' && !isBlockText(text)));
    this.#roleKey = roleKeyOf(this.#messagesOf(user('same')).at(-1), this.#messagesOf(says('same')).at(-1));
  }

  /**
   * A request of a history, with a system message before each of its turns that is rich.
   *
   * @param turns the history
   */
  request(turns: readonly RichTurn[]): Request {
    const list = [
      ...this.#subject.messages(this.#subject.request([])),
      ...turns.flatMap(({ turn, isRich }) =>
        isRich && turn.role === 'user'
          ? [...this.#systemMessages(turn.text), this.message(turn.text, turn.text)]
          : this.#messagesOf(turn),
      ),
    ];
    const extended = list.map((message) => withField(message, 'extra', EXTRA));
    const request = withList(this.#subject, this.#subject.request(turns.map(({ turn }) => turn)), extended);
    return { ...request, extra: EXTRA };
  }

  /**
   * A request of one message.
   *
   * @param text what it says
   * @param name tells what it holds beside text
   */
  single(text: string, name: string): Request {
    const list = [...this.#subject.messages(this.#subject.request([])), this.message(text, name)];
    return withList(this.#subject, this.#subject.request([user(text)]), list);
  }

  /** A user message of two texts, and of two parts that are none. */
  message(text: string, name: string): unknown {
    const other = (number: number): unknown =>
      this.#subject.otherPart?.(`${name} ${number}`) ?? { type: 'other', data: `${name} ${number}` };
    return withParts(this.#sample, (part) => {
      const says = (words: string): unknown => replaced(part, 'hello', words);
      return [other(1), says(`${text}, at first`), other(2), says(`${text}, at last`)];
    });
  }

  #messagesOf(turn: ScriptedTurn): readonly unknown[] {
    const subject = this.#subject;
    const opening = subject.messages(subject.request([]));
    return subject.messages(subject.request([turn])).slice(opening.length);
  }

  #systemMessages(text: string): readonly unknown[] {
    const key = this.#roleKey;
    if (key === undefined) return [];
    return this.#messagesOf(user(`System, before ${text}`)).map((message) =>
      withField(message, key, 'system'),
    );
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withField(value: unknown, key: string, held: unknown): unknown {
  return isJson(value) ? { ...value, [key]: held } : value;
}

/** The field that tells a user's message from the model's. */
function roleKeyOf(asked: unknown, answered: unknown): string | undefined {
  if (!isJson(asked) || !isJson(answered)) return undefined;
  return Object.keys(asked).find(
    (key) =>
      typeof asked[key] === 'string' && typeof answered[key] === 'string' && asked[key] !== answered[key],
  );
}

/** A copy of a message with other parts in the list that holds the block, made from the part that stands beside it. */
function withParts(message: unknown, make: (part: unknown) => readonly unknown[]): unknown {
  if (Array.isArray(message)) {
    const items: readonly unknown[] = message;
    const isList = items.some((item) => stringsIn(item).some(isBlockText));
    return isList ? make(items.find((item) => stringsIn(item).includes('hello'))) : items;
  }
  if (!isJson(message)) return message;
  return Object.fromEntries(Object.entries(message).map(([key, held]) => [key, withParts(held, make)]));
}

function replaced(value: unknown, text: string, by: string): unknown {
  if (value === text) return by;
  if (!isJson(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, replaced(held, text, by)]));
}
