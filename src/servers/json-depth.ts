import { endOfJsonString } from '../formats/json-strings.js';

/**
 * Whether JSON nests deeper than a limit. What parses or writes such a text recurses and runs out of stack, or takes seconds over a
 * few MB, so it is found out beforehand, in one pass that skips strings.
 *
 * @param text JSON, or anything else: then the answer means nothing, and is given all the same
 * @param limit how many open brackets and braces are fine
 */
export function isDeeper(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    switch (text[index]) {
      case '[':
      case '{':
        depth += 1;
        if (depth > limit) return true;
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
      case '"': {
        const end = endOfJsonString(text, index);
        if (end === -1) return false;
        index = end;
        break;
      }
      default:
    }
  }
  return false;
}
