/** What a page shows. */
export interface Seen {
  /** What a script that ran would have set. */
  readonly hit: unknown;
  /** Elements that could run or load something. */
  readonly scripts: number;
  readonly articles: number;
  /** Articles that take no room. */
  readonly hidden: number;
  readonly scrollWidth: number;
  /** Texts that were measured. */
  readonly texts: number;
  /** The text with the least contrast. */
  readonly worst: { readonly ratio: number; readonly text: string };
}

/** Runs in a page. */
export function lookAround(): Seen;

/** Runs in a page: the text of the first element that a selector finds. */
export function textOf(selector: string): string | undefined;

/** Runs in a page: how far the first element that a selector finds is scrolled. */
export function scrollTopOf(selector: string): number;
