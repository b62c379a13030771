/** What an event may carry: ids, lengths, counts, figures, hash prefixes. Never a text or a secret. */
export type EventFields = Readonly<
  Record<string, string | number | boolean | null | undefined | readonly string[]>
>;
