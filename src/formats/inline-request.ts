/**
 * What a request written out at a call may hold. It tells a compiler to take words such as `role: 'user'` as they stand, not as any string, so that
 * the client of the API takes what is prepared; what a person or the model says stays any string. It excludes nothing.
 */
export interface InlineObject {
  /** What is said. */
  readonly content?: string | readonly InlineObject[] | null;
  /** What is said. */
  readonly text?: string;
  /** What is said, in the Responses API. */
  readonly input?: string | readonly InlineObject[];
  /** Everything else. */
  readonly [key: string]: InlineValue;
}

/** A value in an {@link InlineObject}. */
export type InlineValue =
  | 'as it stands'
  // Any string, with the word before kept apart from it.
  | (string & {})
  | number
  | boolean
  | null
  | undefined
  | readonly InlineValue[]
  | InlineObject;

/**
 * Any value at all; of an object that is written out at a call, its words as they stand. See {@link InlineObject}. It is not `unknown`, which would take
 * the words in.
 */
export type AnyRequest = {} | null | undefined | InlineObject;
