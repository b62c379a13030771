import type { EventDefinition } from '../event-definition.js';

const server = { server: 'label' } as const;
const text = { server: 'label', sha256: 'hash', chars: 'count' } as const;

/** The events about what servers say. */
export type InstructionsEvent =
  | 'instructions-received'
  | 'instructions-absent'
  | 'instructions-blank'
  | 'instructions-invalid'
  | 'instructions-oversized'
  | 'instructions-truncated'
  | 'instructions-flagged'
  | 'instructions-changed'
  | 'instructions-unstable'
  | 'instructions-withheld'
  | 'instructions-approved'
  | 'pins-failed';

/** The events about what servers say. */
export const instructionsEvents: Readonly<Record<InstructionsEvent, EventDefinition>> = {
  'instructions-received': {
    level: 'info',
    message: 'A server gave instructions',
    fields: { ...text, source: 'word', era: 'word', version: 'word' },
  },
  'instructions-absent': {
    level: 'debug',
    message: 'A server gave no instructions',
    fields: { ...server, source: 'word', era: 'word' },
  },
  'instructions-blank': {
    level: 'warn',
    message:
      'A server gave instructions of white space or invisible characters only; its template may be empty',
    fields: text,
  },
  'instructions-invalid': {
    level: 'warn',
    message: 'A server gave instructions that are not a string; they are not used',
    fields: { ...server, type: 'word' },
  },
  'instructions-oversized': {
    level: 'warn',
    message: 'A server gave instructions over the size limit; they are withheld',
    fields: { ...server, chars: 'count' },
  },
  'instructions-truncated': {
    level: 'warn',
    message: 'Instructions were cut to a limit',
    fields: {
      ...text,
      keptChars: 'count',
      lostChars: 'count',
      maxChars: 'count',
      maxTokens: 'count',
      limit: 'word',
    },
  },
  'instructions-flagged': {
    level: 'info',
    message: 'Instructions hold something that a person should look at',
    fields: { ...text, flags: 'words' },
  },
  'instructions-changed': {
    level: 'info',
    message: 'A server gave other instructions than before',
    fields: { ...text, previousSha256: 'hash', previousChars: 'count' },
  },
  'instructions-unstable': {
    level: 'warn',
    message: 'A server gives other instructions at every connection, which costs a new block each time',
    fields: { ...text, changes: 'count' },
  },
  'instructions-withheld': {
    level: 'warn',
    message: 'Instructions are not shown to a model until they are approved',
    fields: { ...text, reason: 'word', policy: 'word', pinnedSha256: 'hash' },
    every: true,
  },
  'instructions-approved': {
    level: 'info',
    message: 'Instructions were approved',
    fields: { ...text, reason: 'word' },
    every: true,
  },
  'pins-failed': {
    level: 'error',
    message:
      'The pin file could not be read, so nothing counts as approved, or not be saved, and what was approved before counts',
    fields: { reason: 'word', code: 'word' },
  },
};
