/** Throws with what went wrong, unless all is well. */
export function expectThat(isWell: boolean, fault: string): asserts isWell {
  if (!isWell) throw new Error(fault);
}

/** Freezes a value and everything in it, so that a change throws. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** Every string in a value, in the order of its JSON. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** How many empty strings and empty arrays a value holds. */
export function emptinessIn(value: unknown): number {
  if (value === '') return 1;
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, held: unknown) => sum + emptinessIn(held), 0);
  return Array.isArray(value) && value.length === 0 ? inner + 1 : inner;
}

/** Whether a text is a block of the library's. */
export function isBlockText(text: string): boolean {
  return text.startsWith('<system-reminder>\n# MCP Server Instructions\n');
}

/** The blocks in a value, in order. */
export function blocksIn(value: unknown): string[] {
  return stringsIn(value).filter(isBlockText);
}

/** The positions of the messages that hold blocks, one for each block. */
export function blockPlaces(messages: readonly unknown[]): number[] {
  return messages.flatMap((message, at) => blocksIn(message).map(() => at));
}

/**
 * Finds where a history broke.
 *
 * @returns the index of the first message of `earlier` that `later` does not begin with; -1 when it begins with all
 */
export function prefixBreak(earlier: readonly unknown[], later: readonly unknown[]): number {
  return earlier.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(later[index]));
}
