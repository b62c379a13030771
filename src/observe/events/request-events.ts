import type { EventDefinition } from '../event-definition.js';

const request = { conversation: 'label', turn: 'count', model: 'label' } as const;

/** The events about requests. */
export type RequestEvent =
  | 'block-placed'
  | 'block-held'
  | 'request-cost'
  | 'count-failed'
  | 'report-failed'
  | 'prefix-lost'
  | 'injection-failed';

/** The events about requests. */
export const requestEvents: Readonly<Record<RequestEvent, EventDefinition>> = {
  'block-placed': {
    level: 'info',
    message: 'A request carries a new block',
    every: true,
    fields: {
      ...request,
      reason: 'word',
      servers: 'labels',
      tokens: 'count',
    },
  },
  'block-held': {
    level: 'debug',
    message: 'There is news, and it waits for a later user message',
    every: true,
    fields: { ...request, reason: 'word', pending: 'labels' },
  },
  'request-cost': {
    level: 'info',
    message: 'What the instructions cost in a request',
    every: true,
    fields: {
      ...request,
      reason: 'word',
      recorded: 'flag',
      placed: 'flag',
      added: 'count',
      carried: 'count',
      wrapper: 'count',
      total: 'count',
      low: 'count',
      high: 'count',
      method: 'word',
      calibration: 'label',
      notCounted: 'word',
      sinceStart: 'count',
      pending: 'labels',
      withheld: 'labels',
    },
  },
  'count-failed': {
    level: 'warn',
    message: 'Tokens could not be counted exactly; the estimate stays',
    fields: { reason: 'word', model: 'label' },
  },
  'report-failed': {
    level: 'warn',
    message: 'The onReport function threw',
    fields: { conversation: 'label', reason: 'word' },
  },
  'prefix-lost': {
    level: 'error',
    message: 'No ledger could be read, so a request went out without the blocks it had carried',
    fields: request,
  },
  'injection-failed': {
    level: 'error',
    message: 'Something of ours failed; the request went out without the new block',
    fields: { conversation: 'label', reason: 'word', step: 'word' },
  },
};
