import type { EventDefinition } from '../event-definition.js';

/** The events about stores, settings and the log itself. */
export type InjectorEvent =
  | 'ledger-saved'
  | 'ledger-merged'
  | 'ledger-lost'
  | 'ledger-unsaved'
  | 'store-failed'
  | 'store-recovered'
  | 'setting-ignored'
  | 'option-unknown'
  | 'logs-dropped';

/** The events about stores, settings and the log itself. */
export const injectorEvents: Readonly<Record<InjectorEvent, EventDefinition>> = {
  'ledger-saved': {
    level: 'debug',
    message: 'A conversation was saved',
    every: true,
    fields: { conversation: 'label', chars: 'count' },
  },
  'ledger-merged': {
    level: 'debug',
    message: 'Another process saved this conversation in between; both records were kept',
    every: true,
    fields: { conversation: 'label', entries: 'count', gained: 'count' },
  },
  'ledger-lost': {
    level: 'warn',
    message: 'A stored conversation could not be used, so it starts afresh',
    fields: { conversation: 'label', reason: 'word', version: 'word' },
  },
  'ledger-unsaved': {
    level: 'warn',
    message: 'Conversations could not be saved before the end',
    fields: { conversations: 'count' },
  },
  'store-failed': {
    level: 'warn',
    message: 'The store failed or took too long; requests go on from memory',
    fields: { operation: 'word', reason: 'word', code: 'word', timeoutMs: 'count' },
  },
  'store-recovered': {
    level: 'info',
    message: 'The store works again',
    fields: { failedCalls: 'count' },
  },
  'setting-ignored': {
    level: 'warn',
    message: 'An environment variable holds a value that is not accepted, so it is not used',
    every: true,
    fields: { variable: 'label', value: 'label', accepted: 'label' },
  },
  'option-unknown': {
    level: 'warn',
    message: 'Options that mean nothing here were passed; check their spelling',
    every: true,
    fields: { options: 'labels' },
  },
  'logs-dropped': {
    level: 'warn',
    message: 'Events were lost while the logger was loading',
    every: true,
    fields: { events: 'count' },
  },
};
