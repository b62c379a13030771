import { isObject } from '../values.js';
import { endOfJsonString } from './json-strings.js';

/** Where a value stands in a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a field of an object stands, and its value. */
interface Field extends Span {
  readonly key: string;
}

/**
 * Writes a value as JSON in place of the one that was parsed from a text, of which everything stays byte for byte that the new value
 * shares with the old: numbers that JavaScript cannot hold, keys given twice, the white space.
 *
 * @param text JSON that can be parsed
 * @param before what was parsed from it
 * @param after made from `before`: what it shares with it is the same object
 */
export function spliceJson(text: string, before: unknown, after: unknown): string {
  return splice(text, { start: 0, end: text.length }, before, after);
}

function splice(text: string, span: Span, before: unknown, after: unknown): string {
  if (before === after) return text.slice(span.start, span.end);
  if (Array.isArray(before) && Array.isArray(after)) return spliceList(text, span, before, after);
  if (isObject(before) && isObject(after) && !Array.isArray(before) && !Array.isArray(after)) {
    return spliceObject(text, span, before, after);
  }
  return written(after);
}

/** Items are only added or replaced, in their order. */
function spliceList(text: string, span: Span, before: readonly unknown[], after: readonly unknown[]): string {
  const spans = itemsOf(text, span.start);
  const kept = new Set(after);
  let next = 0;
  const items = after.map((item) => {
    const at = next;
    const old = before[at];
    // What is kept comes later: the item before it is a new one.
    if (at >= spans.length || (item !== old && kept.has(old))) return written(item);
    next += 1;
    return splice(text, spans[at]!, old, item);
  });
  return `[${items.join(',')}]`;
}

/** Fields are added or replaced; an object that lost one is written anew. Of a key that is given twice, the last one counts. */
function spliceObject(
  text: string,
  span: Span,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string {
  const last = new Map(fieldsOf(text, span.start).map((field) => [field.key, field]));
  if ([...last.keys()].some((key) => !Object.hasOwn(after, key) || after[key] === undefined))
    return written(after);
  const added = Object.keys(after).filter((key) => !last.has(key) && after[key] !== undefined);
  const changed = [...last.values()]
    .filter(({ key }) => before[key] !== after[key])
    .sort((left, right) => left.start - right.start);
  let whole = '';
  let from = span.start;
  for (const field of changed) {
    whole += text.slice(from, field.start) + splice(text, field, before[field.key], after[field.key]);
    from = field.end;
  }
  const end = text.lastIndexOf('}', span.end - 1);
  const more = added.map((key) => `${JSON.stringify(key)}:${written(after[key])}`).join(',');
  const comma = more === '' || last.size === 0 ? '' : ',';
  return whole + text.slice(from, end) + comma + more + text.slice(end, span.end);
}

function written(value: unknown): string {
  const json: string | undefined = JSON.stringify(value);
  return json ?? 'null';
}

function itemsOf(text: string, start: number): readonly Span[] {
  const items: Span[] = [];
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (text[at] !== ']') {
    const end = endOf(text, at);
    items.push({ start: at, end });
    at = skipComma(text, end);
  }
  return items;
}

function fieldsOf(text: string, start: number): readonly Field[] {
  const fields: Field[] = [];
  let at = skipSpace(text, skipSpace(text, start) + 1);
  while (text[at] !== '}') {
    const named = endOf(text, at);
    const key: unknown = JSON.parse(text.slice(at, named));
    const value = skipSpace(text, skipSpace(text, named) + 1);
    const end = endOf(text, value);
    fields.push({ key: String(key), start: value, end });
    at = skipComma(text, end);
  }
  return fields;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

function skipComma(text: string, start: number): number {
  const at = skipSpace(text, start);
  return text[at] === ',' ? skipSpace(text, at + 1) : at;
}

/** Where the value ends that starts here. */
function endOf(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return endOfJsonString(text, start) + 1;
  let at = start;
  if (first !== '{' && first !== '[') {
    while (at < text.length && !',]} \n\r\t'.includes(text[at]!)) at += 1;
    return at;
  }
  let depth = 0;
  for (;;) {
    const unit = text[at];
    if (unit === '"') at = endOfJsonString(text, at);
    else if (unit === '{' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ']') depth -= 1;
    at += 1;
    if (depth === 0 || at >= text.length) return at;
  }
}
