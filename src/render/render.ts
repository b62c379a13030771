import { checkDelta } from './check-delta.js';
import { byCodeUnit, DELTA_KINDS, type Delta, type DeltaKind, type DeltaSection } from './delta.js';
import { FRAME_END, FRAME_START, LIST_PREFIX, SENTENCES } from './frame.js';
import { printIds } from './print-ids.js';
import { renderSection } from './section.js';

function idsOf(delta: Partial<Delta>): string[] {
  const sections = [...(delta.added ?? []), ...(delta.changed ?? [])].map((section) => section.id);
  return [...sections, ...(delta.restored ?? []), ...(delta.removed ?? [])];
}

function isSection(item: DeltaSection | string): item is DeltaSection {
  return typeof item !== 'string';
}

function renderPart(
  kind: DeltaKind,
  items: readonly (DeltaSection | string)[],
  printed: ReadonlyMap<string, string>,
): string {
  const name = (id: string): string => printed.get(id) ?? id;
  const rows = items.map((item) =>
    isSection(item)
      ? { id: name(item.id), text: renderSection(name(item.id), item.text) }
      : { id: name(item), text: LIST_PREFIX + name(item) },
  );
  rows.sort((left, right) => byCodeUnit(left.id, right.id));
  const between = kind === 'added' || kind === 'changed' ? '\n\n' : '\n';
  return `${SENTENCES[kind]}\n\n${rows.map((row) => row.text).join(between)}`;
}

/**
 * Writes the block that tells a model a delta: one `<system-reminder>` text, byte for byte the same for the same
 * delta, whatever the order of its parts. {@link recognise} reads it back.
 *
 * @param delta the news; a kind that is missing counts as empty
 * @returns the block's text, or `undefined` when there is no news
 * @throws InstructionsError `INVALID_OPTION` when an id or a text is no string, or a kind is no array
 */
export function render(delta: Partial<Delta>): string | undefined {
  checkDelta(delta);
  const printed = printIds(idsOf(delta));
  const parts: string[] = [];
  for (const kind of DELTA_KINDS) {
    const items = delta[kind];
    if (items !== undefined && items.length > 0) parts.push(renderPart(kind, items, printed));
  }
  if (parts.length === 0) return undefined;
  return FRAME_START + parts.join('\n\n') + FRAME_END;
}
