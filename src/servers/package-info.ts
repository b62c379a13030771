/** What this package calls itself; a test holds it against package.json. */
export const packageInfo: Readonly<{ name: string; version: string }> = Object.freeze({
  name: 'mcp-instructions',
  version: '0.1.0',
});
