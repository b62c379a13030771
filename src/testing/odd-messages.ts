import type { ContractSubject } from './subject.js';

/** What hosts and their stores put in the place of a message, or of anything in one. */
const ODD: readonly unknown[] = [null, 5, 'text', [], {}, [null]];

/**
 * Messages of no known kind, made of messages as an API takes them: each with one of its fields, or of those of its parts, set to
 * something odd.
 *
 * @param messages as an API takes them
 */
export function oddMessages(messages: readonly unknown[]): readonly unknown[] {
  return [...ODD, ...messages.flatMap(spoilt)];
}

/** Copies of a value, each with something odd in one place. */
function spoilt(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return [[...items, null], ...items.flatMap((item, at) => spoilt(item).map((odd) => items.with(at, odd)))];
  }
  if (typeof value !== 'object' || value === null) return [];
  const entries = Object.entries(value);
  return entries.flatMap(([key, held]: [string, unknown]) =>
    [...ODD, ...spoilt(held)].map((odd) => Object.fromEntries([...entries, [key, odd]])),
  );
}

/**
 * Makes a request with a list of the caller's.
 *
 * @param request made for this call alone
 * @throws when the subject's list can neither be given nor changed
 */
export function withList<Request>(
  subject: ContractSubject<Request>,
  request: Request,
  messages: readonly unknown[],
): Request {
  if (subject.withMessages !== undefined) return subject.withMessages(request, messages);
  const list = subject.messages(request);
  if (Array.isArray(list)) list.splice(0, list.length, ...messages);
  if (subject.messages(request).length === messages.length) return request;
  throw new Error('`messages` gives a list that is not the request’s own: `withMessages` is needed');
}
