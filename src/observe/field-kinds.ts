import type { EventFields } from './event-fields.js';
import { showText } from '../instructions/show-text.js';

/**
 * What a field may hold. `label`: a name the host gave, or the value of an ignored setting, made printable and cut to 64 units. `word`: a
 * machine-made word such as an error code or a revision, so that no free text passes. `count`: a finite number. `flag`: a boolean.
 * `hash`: the first 12 hex digits of a SHA-256. `labels`, `words`: up to 20 of them.
 */
export type FieldKind = 'label' | 'word' | 'count' | 'flag' | 'hash' | 'labels' | 'words';

type FieldValue = EventFields[string];

const word = /^[A-Za-z0-9_][A-Za-z0-9_.:+-]{0,63}$/;
const hash = /^[0-9a-f]{12,64}$/;
const maxListed = 20;

const cleaners: Readonly<Record<FieldKind, (value: unknown) => FieldValue>> = {
  label: (value) => (typeof value === 'string' ? showText(value) : undefined),
  word: (value) => (typeof value === 'string' && word.test(value) ? value : undefined),
  count: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  hash: (value) => (typeof value === 'string' && hash.test(value) ? value.slice(0, 12) : undefined),
  labels: (value) => cleanList('label', value),
  words: (value) => cleanList('word', value),
};

/**
 * The value as it may be logged, or `undefined` when it is not of that kind.
 *
 * @param kind what the table says of the field
 * @param value what was emitted
 */
export function cleanField(kind: FieldKind, value: unknown): FieldValue {
  return cleaners[kind](value);
}

function cleanList(kind: 'label' | 'word', value: unknown): FieldValue {
  if (!Array.isArray(value)) return undefined;
  const cleaned = value.slice(0, maxListed).map((item: unknown) => cleaners[kind](item));
  return cleaned.every((item) => typeof item === 'string') ? cleaned : undefined;
}
