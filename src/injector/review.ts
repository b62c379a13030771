import type { ServerView } from './server-views.js';

/** What a person must see before trusting a server's text. */
export interface Review {
  readonly id: string;
  /** What pins know the server by. */
  readonly identity: string;
  /** The whole text as received; `undefined` when there is none. Untrusted. */
  readonly text: string | undefined;
  /** What would be shown to a model; `''` when nothing would. */
  readonly admittedText: string;
  readonly flags: readonly string[];
  readonly truncated: boolean;
  /** SHA-256 of the text as received; what an approval must carry. */
  readonly sha256: string | undefined;
  /** The hash that is approved now. */
  readonly approvedSha256: string | undefined;
  /** Whether the text is withheld until it is approved. */
  readonly withheld: boolean;
}

/**
 * @param view the server
 * @param approvedSha256 the hash that is approved for it
 */
export function reviewOf(view: ServerView, approvedSha256: string | undefined): Review {
  const { admission } = view;
  return {
    id: view.id,
    identity: view.identity,
    text: typeof view.value === 'string' ? view.value : undefined,
    admittedText: admission?.text ?? '',
    flags: admission?.flags ?? [],
    truncated: admission?.truncated ?? false,
    sha256: admission?.sha256,
    approvedSha256,
    withheld: view.outcome === 'withheld',
  };
}
