import type { MessagesRequest } from '../../src/formats/anthropic-messages.js';
import { assistant, calls, Engine, request, results, user, type EngineCall, type Force } from './engine.js';
import { bytesOf, deepFreeze, disagreements, readRequest, shapeFaults } from './request-reader.js';

type Message = MessagesRequest['messages'][number];

/** What a host does with its history beside going on with it. */
export const HABITS = [
  'plain',
  'stores-prepared',
  'strips-thinking',
  'trims-answers',
  'clears-results',
  'drops-oldest',
  'compacts',
  'regenerates',
  'edits',
  'branches',
  'sends-twice',
  'retries',
  'never-commits',
  'discards',
  'saves-and-restores',
  'counts-first',
  'prefills',
  'consecutive-messages',
  'system-messages',
] as const;
export type Habit = (typeof HABITS)[number];

/** A small generator, so that a seed is a whole run. */
function random(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Sent {
  readonly given: readonly string[];
  readonly bytes: readonly string[];
  readonly roles: readonly string[];
}

/** One host, its servers and its history, run by a seed. Collects what goes wrong. */
export class HostModel {
  readonly faults: string[] = [];
  sends = 0;
  readonly #habits: ReadonlySet<string>;
  readonly #random: () => number;
  #engine = new Engine();
  #history: Message[] = [];
  #branches: Message[][] = [];
  #servers: Record<string, { text: string | null; version: number } | undefined> = {};
  #delivered: Sent[] = [];
  #number = 0;

  /** @param habits one habit, or several joined by `+` */
  constructor(seed: number, habits: Habit | `${Habit}+${Habit}`) {
    this.#random = random(seed);
    this.#habits = new Set(habits.split('+'));
    for (const id of ['a', 'b', 'c'].slice(0, 1 + this.#below(3))) {
      this.#servers[id] = { text: this.#chance(0.5) ? `${id}1` : null, version: 1 };
    }
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      while (this.#chance(0.35)) this.#serverEvent();
      for (const habit of this.#habits) this.#bend(habit);
      this.#addUserTurn();
      this.#exchange();
    }
  }

  #has(habit: Habit): boolean {
    return this.#habits.has(habit);
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #next(): number {
    this.#number += 1;
    return this.#number;
  }

  /** A server connects, changes its text, is not known for a while, or goes. */
  #serverEvent(): void {
    const ids = ['a', 'b', 'c'];
    const id = ids[this.#below(ids.length)]!;
    const server = this.#servers[id];
    if (server === undefined) this.#servers[id] = { text: `${id}1`, version: 1 };
    else if (server.text === null) server.text = `${id}${server.version}`;
    else {
      const dice = this.#random();
      if (dice < 0.3) server.text = null;
      else if (dice < 0.6) this.#servers[id] = undefined;
      else {
        server.version = dice < 0.85 ? server.version + 1 : 1;
        server.text = `${id}${server.version}`;
      }
    }
  }

  #force(): Force {
    const force: Record<string, string | null> = {};
    for (const [id, server] of Object.entries(this.#servers))
      if (server !== undefined) force[id] = server.text;
    return force;
  }

  /** What a habit does to the history between two turns. */
  #bend(habit: string): void {
    const history = this.#history;
    const turns = history.flatMap((message, index) =>
      message.role === 'user' && history[index - 1]?.role === 'assistant' && !answersTool(message)
        ? [index]
        : [],
    );
    const turn = turns[this.#below(turns.length)];
    switch (habit) {
      case 'drops-oldest': {
        const recent = turns.find((index) => index >= history.length - 6);
        if (history.length > 8 && recent !== undefined) this.#history = history.slice(recent);
        break;
      }
      case 'compacts':
        if (history.length > 6 && this.#chance(0.3)) {
          this.#history = [user(`summary ${this.#next()}`), assistant('understood')];
        }
        break;
      case 'regenerates':
        if (history.length > 0 && this.#chance(0.4)) {
          while (this.#history.at(-1)?.role === 'assistant') this.#history = this.#history.slice(0, -1);
          this.#serverEvent();
          this.#exchange();
        }
        break;
      case 'edits':
        if (turn !== undefined && this.#chance(0.3)) {
          this.#history = [...history.slice(0, turn), user(`edited ${this.#next()}`)];
          this.#exchange();
        }
        break;
      case 'branches':
        if (turn !== undefined && this.#chance(0.25)) {
          this.#branches.push(history);
          this.#history = history.slice(0, turn);
        } else if (this.#branches.length > 0 && this.#chance(0.25)) {
          const at = this.#below(this.#branches.length);
          const other = this.#branches[at]!;
          this.#branches[at] = history;
          this.#history = other;
        }
        break;
      case 'clears-results':
        this.#history = history.map((message, index) =>
          index < history.length - 4 ? clearResults(message) : message,
        );
        break;
      case 'saves-and-restores':
        if (this.#chance(0.5)) this.#engine = new Engine(this.#engine.save());
        break;
      default:
    }
  }

  #addUserTurn(): void {
    const last = this.#history.at(-1);
    const open = last?.role === 'assistant' && typeof last.content !== 'string' ? last.content : [];
    const ids = open.flatMap((block) => (block.type === 'tool_use' ? [String(block.id)] : []));
    if (ids.length === 0) this.#history = [...this.#history, this.#userMessage()];
    else if (ids.length > 1 && this.#has('consecutive-messages') && this.#chance(0.5)) {
      this.#history = [...this.#history, results(...ids.slice(0, 1)), results(...ids.slice(1))];
    } else this.#history = [...this.#history, results(...ids)];
    if (this.#has('consecutive-messages') && this.#chance(0.3)) {
      this.#history = [...this.#history, user(`also ${this.#next()}`)];
    }
    if (this.#has('system-messages') && this.#chance(0.3)) {
      this.#history = [...this.#history, { role: 'system', content: 'note' }];
    }
  }

  #userMessage(): Message {
    const text = this.#chance(0.4) ? 'go on' : `say ${this.#next()}`;
    if (this.#chance(0.5)) return user(text);
    const breakpoint = this.#chance(0.3) ? { cache_control: { type: 'ephemeral' } } : {};
    return user([{ type: 'text', text, ...breakpoint }]);
  }

  #answer(): Message {
    if (this.#chance(0.4)) {
      return calls(...Array.from({ length: 1 + this.#below(3) }, () => `toolu_${this.#next()}`));
    }
    const text = { type: 'text', text: this.#chance(0.2) ? 'OK. ' : `answer ${this.#next()} ` };
    const thinking = { type: 'thinking', thinking: `hm ${this.#next()}`, signature: 's' };
    return { role: 'assistant', content: this.#chance(0.4) ? [thinking, text] : [text] };
  }

  /** The history as the host sends it. */
  #view(): Message[] {
    const end = this.#history.length - 2;
    return this.#history
      .map((message, index): Message => {
        if (message.role !== 'assistant' || typeof message.content === 'string' || index >= end)
          return message;
        if (this.#has('strips-thinking')) {
          return { ...message, content: message.content.filter((block) => block.type !== 'thinking') };
        }
        if (!this.#has('trims-answers')) return message;
        return {
          ...message,
          content: message.content.map((block) =>
            typeof block.text === 'string' ? { ...block, text: block.text.trim() } : block,
          ),
        };
      })
      .filter((message) => message.content.length > 0);
  }

  #exchange(): void {
    const prefill = this.#has('prefills') && this.#chance(0.5) ? [assistant('{')] : [];
    if (this.#has('counts-first')) {
      this.#engine.prepare(request(...this.#view()), this.#force(), false);
      this.#serverEvent();
    }
    let call = this.#send(prefill);
    while ((this.#has('retries') || this.#has('discards')) && this.#chance(0.4)) {
      if (this.#has('discards')) call.discard();
      this.#serverEvent();
      call = this.#send(prefill);
    }
    if (this.#has('sends-twice') && this.#chance(0.4)) {
      this.#serverEvent();
      const second = this.#send(prefill);
      this.#deliver(second);
      this.#branches.push([...this.#history, this.#answer()]);
    }
    this.#deliver(call);
    if (this.#has('stores-prepared')) {
      this.#history = this.#history.map((message, index) =>
        message.role === 'user' ? (call.request.messages[index] ?? message) : message,
      );
    }
    this.#history = [...this.#history, this.#answer()];
  }

  #deliver(call: EngineCall): void {
    if (!this.#has('never-commits')) call.commit();
  }

  #send(extra: readonly Message[]): EngineCall {
    const given = deepFreeze(request(...this.#view(), ...extra));
    const force = this.#force();
    const call = this.#engine.prepare(given, force);
    this.sends += 1;
    const reading = readRequest(call.request.messages);
    this.faults.push(...reading.faults, ...shapeFaults(call.request.messages, given.messages));
    if (call.plan.reason !== 'turn-already-sent') this.faults.push(...disagreements(reading, force));
    const again = this.#engine.prepare(given, force);
    if (JSON.stringify(again.request) !== JSON.stringify(call.request))
      this.faults.push('not the same twice');
    const onTop = new Engine(this.#engine.save()).prepare(call.request, force);
    if (JSON.stringify(onTop.request) !== JSON.stringify(call.request))
      this.faults.push('prepared adds something');
    this.#compareWithEarlier(given.messages, call.request.messages);
    return call;
  }

  /**
   * Every request that begins with the messages of earlier ones must begin with their bytes. With several habits two earlier ones can
   * disagree (a message that was sent bare in a cut history is later sent as the newest of a branch, with news): then the longest counts.
   */
  #compareWithEarlier(given: readonly Message[], sent: readonly Message[]): void {
    const now: Sent = { given: given.map(bytesOf), bytes: sent.map(bytesOf), roles: sent.map((m) => m.role) };
    const earlierOnes = this.#delivered.toSorted((left, right) => right.given.length - left.given.length);
    for (const earlier of earlierOnes) {
      if (earlier.given.length > now.given.length) continue;
      const goesOn = earlier.given.every(
        (bytes, index) => bytes === now.given[index] || earlier.bytes[index] === now.given[index],
      );
      if (!goesOn) continue;
      const broken = earlier.bytes.some(
        (bytes, index) => earlier.roles[index] === 'user' && bytes !== now.bytes[index],
      );
      if (broken && !this.#has('discards')) this.faults.push('an earlier message changed');
      if (this.#habits.size > 1) break;
    }
    this.#delivered.push(now);
    if (this.#delivered.length > 60) this.#delivered.shift();
  }
}

function answersTool(message: Message): boolean {
  return typeof message.content !== 'string' && message.content.some((block) => block.type === 'tool_result');
}

function clearResults(message: Message): Message {
  if (message.role !== 'user' || typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, content: '[cleared]' } : block,
    ),
  };
}
