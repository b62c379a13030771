const backslash = 0x5c;

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
      case '"':
        index = endOfString(text, index + 1);
        break;
      default:
    }
  }
  return false;
}

/** @returns where the closing quote stands, or the end of the text */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - escapes - 1) === backslash && end - escapes > start) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
