import { notExpected } from '../errors.js';
import { kindOf } from '../values.js';
import type { ConnectionEvents } from './connection-types.js';

const events: Readonly<Record<keyof ConnectionEvents, true>> = {
  state: true,
  instructions: true,
  client: true,
  settled: true,
};

/** @throws InstructionsError `INVALID_SERVER` for anything but a string that is not empty */
export function checkId(method: string, id: unknown): void {
  if (typeof id !== 'string' || id === '') fail(method, 'id', 'a string that is not empty', id);
}

/** @throws InstructionsError `INVALID_SERVER` for anything but a plain object or a map with proper ids */
export function checkServers(servers: unknown): void {
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    fail('set', 'servers', 'an object or a map of servers', servers);
  for (const id of servers instanceof Map ? servers.keys() : Object.keys(servers)) checkId('set', id);
}

/** @throws InstructionsError `INVALID_SERVER` for an unknown event or a listener that is no function */
export function checkListener(event: unknown, listener: unknown): void {
  if (typeof event !== 'string' || !Object.hasOwn(events, event))
    fail('on', 'event', Object.keys(events).join(', '), event);
  if (typeof listener !== 'function') fail('on', 'listener', 'a function', listener);
}

/** @throws InstructionsError `INVALID_SERVER` for anything but a string that is not empty or a query */
export function checkCode(code: unknown): void {
  const isCode = (typeof code === 'string' && code !== '') || code instanceof URLSearchParams;
  if (!isCode) fail('finishAuth', 'code', 'the code or the query of the callback', code);
}

function fail(method: string, field: string, expected: string, got: unknown): never {
  throw notExpected('INVALID_SERVER', `${method}: \`${field}\``, expected, kindOf(got));
}
