import { removableRanges } from './characters.js';

/**
 * A class for patterns with the flag `u` or `v`: every character that a reader would not see, or that could steer a terminal. All that
 * Unicode says so of, and all that cleaning removes for it, such as the blank of Braille.
 */
export const UNSEEN_CLASS: string = `[\\p{C}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}${removableRanges()
  .map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`)
  .join('')}]`;
