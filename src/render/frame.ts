import type { DeltaKind } from './delta.js';

/** The first line of every block. */
export const OPENING_TAG = '<system-reminder>';
/** The last line of every block. */
export const CLOSING_TAG = '</system-reminder>';

/** Everything before the first sentence. */
export const FRAME_START: string = `${OPENING_TAG}\n# MCP Server Instructions\n\n`;
/** Everything after the last part. */
export const FRAME_END: string = `\n${CLOSING_TAG}`;

/** The sentence that introduces each kind of news. */
export const SENTENCES: Readonly<Record<DeltaKind, string>> = {
  added: 'The following MCP servers have provided instructions for how to use their tools and resources:',
  changed:
    'The following MCP servers have replaced their instructions. What follows takes the place of what they said above:',
  restored: 'The following MCP servers are connected again, and their instructions above apply again:',
  removed: 'The following MCP servers are no longer connected, and their instructions above no longer apply:',
};

/** What stands before an id where its section starts. */
export const SECTION_PREFIX = '## ';
/** What stands before an id in a list. */
export const LIST_PREFIX = '- ';
