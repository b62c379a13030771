import { swallow } from '../observe/swallow.js';

/** Which servers a conversation is told about: their ids, or a test with the request at hand. */
export type Audience = readonly string[] | ((id: string, request: unknown) => boolean);

/** Whether a conversation is told about a server. */
export type Hears = (id: string) => boolean;

export const hearsAll: Hears = () => true;

/** An answer that is still to come is none: a server that may not be told about is not told about. */
function saysYes(answer: unknown): boolean {
  if (typeof answer === 'object' && answer !== null && 'then' in answer) {
    swallow(answer);
    throw new TypeError('servers: expected true or false, got a promise');
  }
  return Boolean(answer);
}

/**
 * @param audience as the host gave it; `undefined` for all servers
 * @param request the request at hand
 * @returns asks the host once for each server; throws what the host's test throws
 */
export function hearingOf(audience: Audience | undefined, request: unknown): Hears {
  if (audience === undefined) return hearsAll;
  if (typeof audience !== 'function') {
    const heard = new Set(audience);
    return (id) => heard.has(id);
  }
  const answers = new Map<string, boolean>();
  return (id) => {
    let answer = answers.get(id);
    if (answer === undefined) {
      answer = saysYes(audience(id, request));
      answers.set(id, answer);
    }
    return answer;
  };
}

/** {@link Hears} for what may not fail: a test of the host's that fails is reported when the request is planned. */
export function isHeard(hears: Hears, id: string): boolean {
  try {
    return hears(id);
  } catch {
    return true;
  }
}
