import { NotHere } from './not-here.js';

/** Loaded in the place of the SDK's client where a bundler knows no runtime: a package that the client needs has no variant for that. */
export const reason =
  'connecting needs a bundle made with the condition `browser`, `workerd` or `node`; adopted clients need none';

throw new NotHere(`mcp-instructions: ${reason}`);
