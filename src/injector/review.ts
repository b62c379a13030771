import type { InstructionsLimit } from '../cost/report.js';
import type { TokenCounter } from '../cost/token-counter.js';
import type { AdmissionState } from '../instructions/admit.js';
import type { FlagCounts } from '../instructions/flags.js';
import type { InstructionsMode } from '../servers/server-config.js';
import type { Era } from '../servers/server-state.js';
import { hiddenFrom } from './hidden-part.js';
import { diffOf } from './review-diff.js';
import type { ServerView } from './server-views.js';
import type { Trust, TrustState, TrustSubject } from './trust.js';

/** What a person must see before trusting a server's text. Plain JSON; lengths in UTF-16 units. Every text in it is untrusted. */
export interface Review {
  readonly id: string;
  /** What pins know the server by. */
  readonly identity: string;
  /** What the host chose for the server's text. */
  readonly mode: InstructionsMode;
  /** Which reply or setting the text came from; `override` is the host's own text, which needs no approval. */
  readonly source: string | null;
  /** The handshake that gave the text: a server that speaks both may say two things. */
  readonly era: Era | null;
  /**
   * What became of the text: `absent` when none was sent or no reply came, `invalid` when what was sent is no text, `oversized` when it is
   * over 1 MiB or the limits leave no room for any of it.
   */
  readonly textState: AdmissionState;
  /** The whole text as received, or, for the source `override`, the host's own text in its place; `undefined` when there is none. */
  readonly text: string | undefined;
  /** What the server sent, where the host's own text stands in its place, so that no model is shown it; `undefined` otherwise. */
  readonly replaced: { readonly text: string | undefined; readonly sha256: string | undefined } | undefined;
  /** What a model is shown, or would be once the text is approved; `''` when nothing is, as for the modes `user-only` and `off`. */
  readonly admittedText: string;
  /** Of `text`. What is kept and lost of it counts what a model would be shown, so both are 0 for `user-only` and `off`. */
  readonly chars: number;
  readonly keptChars: number;
  readonly lostChars: number;
  readonly truncated: boolean;
  /** The setting that decided how much is kept; `null` when all is. */
  readonly limit: InstructionsLimit | null;
  /** From where in `text` on the limits hide it from a model; `null` when they hide nothing. */
  readonly hiddenFrom: number | null;
  readonly flags: readonly string[];
  /** How often each flag of the text was met. */
  readonly counts: Readonly<FlagCounts>;
  /** Of `admittedText`, in the o200k encoding; `null` when they cannot be counted. */
  readonly tokens: number | null;
  /** SHA-256 of `text`; what an approval must carry. `undefined` when there is no text, or one over 1 MiB. */
  readonly sha256: string | undefined;
  /** How the text stands to the pins, whatever the policy; `undefined` when there is nothing to approve. */
  readonly state: TrustState | undefined;
  /** The hash that is approved for this handshake now, or for the server. */
  readonly approvedSha256: string | undefined;
  /** The text with that hash; `undefined` when nothing is approved or only the hash was kept. */
  readonly approvedText: string | undefined;
  /** Lines of a unified diff from the approved text; `undefined` where there is none, or the two have little in common. */
  readonly diff: readonly string[] | undefined;
  /** Whether the text is withheld until it is approved. */
  readonly withheld: boolean;
}

/** What a review is made with. */
export interface ReviewTools {
  readonly trust: Trust;
  readonly counter: TokenCounter;
  /** SHA-256 in hex. */
  readonly sha256: (text: string) => string;
}

/** @returns what there is to approve of a server; `undefined` when it said nothing of its own */
export function subjectOf(view: ServerView): TrustSubject | undefined {
  const { id, identity, era, others, value, admission, source } = view;
  const isTheirs = typeof value === 'string' && source !== 'override';
  const isNothing = admission?.sha256 === undefined || admission.state === 'blank';
  if (!isTheirs || isNothing) return undefined;
  return { id, identity, era, others, text: value, sha256: admission.sha256 };
}

/**
 * @param view the server
 * @param tools what it takes
 */
export async function reviewOf(view: ServerView, { trust, counter, sha256 }: ReviewTools): Promise<Review> {
  const { admission } = view;
  const text = typeof view.value === 'string' ? view.value : undefined;
  const subject = subjectOf(view);
  const approved = subject === undefined ? undefined : await trust.approved(subject);
  // What is for people alone, or for nobody, is hidden by no limit.
  const shown = view.mode === 'full' ? admission : undefined;
  const hidden =
    text === undefined || shown === undefined ? undefined : hiddenFrom(text, shown, view.maxChars);
  const isChanged =
    subject !== undefined && approved?.text !== undefined && approved.sha256 !== subject.sha256;
  return {
    id: view.id,
    identity: view.identity,
    mode: view.mode,
    source: view.source,
    era: view.era,
    textState: admission?.state ?? 'absent',
    text,
    replaced: view.source === 'override' ? replacedOf(view.received, sha256) : undefined,
    admittedText: shown?.text ?? '',
    chars: admission?.chars ?? 0,
    keptChars: shown?.keptChars ?? 0,
    lostChars: shown?.lostChars ?? 0,
    truncated: shown?.truncated ?? false,
    limit: (shown && view.limit) ?? null,
    hiddenFrom: hidden ?? null,
    flags: view.flags,
    counts: admission?.counts ?? {},
    tokens: await tokensOf(shown?.text ?? '', counter, sha256),
    sha256: admission?.sha256,
    state: subject === undefined ? undefined : trust.compare(subject),
    approvedSha256: approved?.sha256,
    approvedText: approved?.text,
    diff: isChanged ? await diffOf(approved.text, subject.text.toWellFormed()) : undefined,
    withheld: view.outcome === 'withheld',
  };
}

function replacedOf(received: unknown, hash: (text: string) => string): Review['replaced'] {
  if (typeof received !== 'string') return { text: undefined, sha256: undefined };
  return { text: received, sha256: hash(received.toWellFormed()) };
}

async function tokensOf(
  text: string,
  counter: TokenCounter,
  sha256: (text: string) => string,
): Promise<number | null> {
  if (text === '') return 0;
  const key = `review ${sha256(text)}`;
  await counter.warm(text, key);
  const { tokens, method } = counter.count(text, key);
  return method === 'rough' ? null : tokens;
}
