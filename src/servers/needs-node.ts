import { NotHere } from './not-here.js';

/** Loaded in the place of what is for Node alone, where there is no Node: asking for it fails, and everything else works. */
export const reason = 'processes, files and the default log need Node';

throw new NotHere(`mcp-instructions: ${reason}`);
