/**
 * What admission noticed about a text. A flag is for people and logs; it never withholds a text by itself.
 * The list is open: later versions may add names.
 */
export const FLAGS = [
  /** Halves of surrogate pairs, replaced by U+FFFD. */
  'lone-surrogate',
  /** Terminal escape sequences, removed. */
  'ansi-escape',
  /** Control characters other than tab and newline, removed. */
  'control-characters',
  /** Marks that change the direction of text, removed. */
  'bidi-controls',
  /** Characters of the Tags block, removed unless they spell one of the three standard flags. */
  'tag-characters',
  /** Private-use characters and those of empty planes, removed: what they look like depends on the reader's fonts. */
  'private-use',
  /** Zero-width and blank-looking characters, removed where no script or emoji wants them. */
  'invisible-characters',
  /** Variation selectors beyond the one an emoji may have, removed. */
  'variation-selectors',
  /** Combining marks beyond what one base may carry, removed. */
  'combining-marks',
  /** Floods of blank lines, shortened. */
  'blank-lines',
  /** A run of spaces long enough to push what follows out of a reader's sight; left as it is. */
  'space-flood',
  /** The wrapper's own tags, their opening bracket replaced. */
  'reserved-tag',
  /** The wrapper's own tags with an encoded bracket, neutralised; counted in `reserved-tag` too. */
  'encoded-tag',
  /** Tags that look as if the host or the model's vendor had written them; left as they are. */
  'authority-tag',
  /** Lines that start like a turn of a conversation; left as they are. */
  'role-marker',
  /** Text that spells a special token of some model; left as it is. */
  'special-token',
  /** Headings that imitate the host's own, or a server's name; the renderer lowers them. */
  'fake-heading',
  /** The truncation marker or a sentence of the host, written by the server. */
  'marker-spoof',
  /** Speaks of another server by its id; only where the other ids are known. */
  'cross-server-reference',
  /** A link whose text is another address than its target. */
  'link-mismatch',
  /** Starts with what looks like YAML front matter. */
  'front-matter',
  /** Code fence runs over eight characters, shortened. */
  'long-fence',
  /** A code fence that its author left open, closed at the end. */
  'open-fence',
] as const;

/** One of {@link FLAGS}. */
export type Flag = (typeof FLAGS)[number];

/** How often each flag was met: characters for what was removed, places for everything else. */
export type FlagCounts = Partial<Record<Flag, number>>;

/** A text after one pass, and what that pass met. */
export interface PassResult {
  readonly text: string;
  readonly counts: FlagCounts;
}

/**
 * @param counts receives the sum
 * @param more what another pass met
 */
export function addCounts(counts: FlagCounts, more: FlagCounts): void {
  for (const flag of FLAGS) {
    const count = more[flag] ?? 0;
    if (count > 0) counts[flag] = (counts[flag] ?? 0) + count;
  }
}
