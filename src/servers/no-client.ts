/** Loaded in the place of the SDK's client where a bundler knows no runtime: a package that the client needs has no variant for that. */
export const reason =
  'mcp-instructions: connecting needs a bundle made with the condition `browser`, `workerd` or `node`; adopted clients need none';

throw new Error(reason);
