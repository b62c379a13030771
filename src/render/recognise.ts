import { CodeLines } from '../instructions/code-lines.js';
import { DELTA_KINDS, type Delta, type DeltaKind, type DeltaSection } from './delta.js';
import { FRAME_END, FRAME_START, LIST_PREFIX, SECTION_PREFIX, SENTENCES } from './frame.js';
import { render } from './render.js';

type Draft = { [Kind in DeltaKind]: Delta[Kind][number][] };

const kindOfSentence: ReadonlyMap<string, DeltaKind> = new Map(
  DELTA_KINDS.map((kind) => [SENTENCES[kind], kind]),
);

/** A cheap test that a text could be one of our blocks; {@link recognise} decides. */
export function looksLikeBlock(text: string): boolean {
  return text.startsWith(FRAME_START) && text.endsWith(FRAME_END);
}

function readLines(lines: readonly string[]): Draft | undefined {
  const draft: Draft = { added: [], changed: [], restored: [], removed: [] };
  let kind: DeltaKind | undefined;
  let section: { id: string; lines: string[] } | undefined;
  let code = new CodeLines();

  // The blank line before a heading or sentence belongs to the frame, not to the text above it.
  const endSection = (last: boolean): void => {
    if (section === undefined || (kind !== 'added' && kind !== 'changed')) return;
    const body = last ? section.lines : section.lines.slice(0, -1);
    draft[kind].push({ id: section.id, text: body.join('\n') } satisfies DeltaSection);
    section = undefined;
  };

  for (const line of lines) {
    const isCode = section !== undefined && code.next(line);
    const sentence = isCode ? undefined : kindOfSentence.get(line);
    if (sentence !== undefined) {
      endSection(false);
      kind = sentence;
    } else if (!isCode && line.startsWith(SECTION_PREFIX)) {
      endSection(false);
      section = { id: line.slice(SECTION_PREFIX.length), lines: [] };
      code = new CodeLines();
    } else if (section !== undefined) {
      section.lines.push(line);
    } else if (line.startsWith(LIST_PREFIX) && (kind === 'restored' || kind === 'removed')) {
      draft[kind].push(line.slice(LIST_PREFIX.length));
    } else if (line !== '') {
      return undefined;
    }
  }
  endSection(true);
  return draft;
}

/**
 * Reads a block back: the inverse of {@link render}. A text is recognised only when rendering what was read gives
 * the same text again, so nothing that merely resembles a block passes.
 *
 * @param text any text
 * @returns what the block says, with ids as printed and texts as rendered; `undefined` when it is not a block
 */
export function recognise(text: string): Delta | undefined {
  if (!looksLikeBlock(text)) return undefined;
  const draft = readLines(text.slice(FRAME_START.length, -FRAME_END.length).split('\n'));
  if (draft === undefined || render(draft) !== text) return undefined;
  return draft;
}
