import type { ScriptedTurn } from './subject.js';

/** What servers say, by id. */
export type Told = Readonly<Record<string, string>>;

/** One request of a scripted conversation. */
export interface ScriptedRequest {
  /** The history that it sends. */
  readonly history: readonly ScriptedTurn[];
  /** What servers say when it is sent. */
  readonly told: Told;
  /** Whether that is news. */
  readonly news: boolean;
}

/** A user's words. */
export function user(text: string): ScriptedTurn {
  return { role: 'user', text };
}

/** The model's words. */
export function says(text: string): ScriptedTurn {
  return { role: 'assistant', text, calls: [] };
}

/** The model calls tools at the same time. */
export function calls(...ids: string[]): ScriptedTurn {
  return { role: 'assistant', text: 'I will look.', calls: ids };
}

/** All the tools answer. */
export function results(...ids: string[]): ScriptedTurn & { readonly role: 'tools' } {
  return { role: 'tools', results: ids.map((id) => ({ id, text: `answer of ${id}` })) };
}

/** How many requests a script has. */
const REQUESTS = 12;

/** What servers say at each request, from the number of the request on. */
const STAGES: readonly (readonly [from: number, told: Told])[] = [
  [1, { docs: 'Docs.', tickets: 'Tickets.' }],
  // While tools answer: a late one.
  [3, { docs: 'Docs.', tickets: 'Tickets.', late: 'Late.' }],
  [5, { docs: 'Docs.', late: 'Late.' }],
  [6, { docs: 'Docs.', late: 'Another.' }],
  [9, { docs: 'Docs.', late: 'Another.', tickets: 'Tickets.' }],
  [10, {}],
];

/** Twelve requests of one conversation: prompts, tools in parallel, a late server, a removed, a changed and a restored one. */
export function scriptedHistory(): readonly ScriptedRequest[] {
  const history: ScriptedTurn[] = [];
  const requests: ScriptedRequest[] = [];
  for (let number = 1; number <= REQUESTS; number += 1) {
    const ids = [`call_${number}_a`, `call_${number}_b`];
    if (number % 3 === 0) history.push(calls(...ids), results(...ids));
    else history.push(...(number === 1 ? [] : [says(`answer ${number - 1}`)]), user(`question ${number}`));
    const stage = STAGES.findLast(([from]) => from <= number);
    const news = STAGES.some(([from]) => from === number);
    requests.push({ history: [...history], told: stage?.[1] ?? {}, news });
  }
  return requests;
}

/** A turn, and whether its message holds more than a text. */
export interface RichTurn {
  readonly turn: ScriptedTurn;
  readonly isRich: boolean;
}

/** One request of a long conversation. */
export interface LongRequest {
  /** What it sends beside what the one before sent. */
  readonly added: readonly RichTurn[];
  readonly told: Told;
  readonly news: boolean;
}

/** How many requests the long conversation has: its last ones have over forty messages. */
const LONG_REQUESTS = 24;

/** A long conversation: the script, with every second prompt rich, and a server that comes back at the end. */
export function longHistory(): readonly LongRequest[] {
  const stages = [...STAGES, [16, { docs: 'Docs.' }], [21, { docs: 'Docs, again.' }]] as const;
  return Array.from({ length: LONG_REQUESTS }, (_, at) => {
    const number = at + 1;
    const ids = [`call_${number}_a`, `call_${number}_b`];
    const turns =
      number % 3 === 0
        ? [calls(...ids), results(...ids)]
        : [...(number === 1 ? [] : [says(`answer ${at}`)]), user(`question ${number}`)];
    const told = stages.findLast(([from]) => from <= number)?.[1] ?? {};
    const added = turns.map((turn) => ({ turn, isRich: number % 2 === 1 }));
    return { added, told, news: stages.some(([from]) => from === number) };
  });
}
