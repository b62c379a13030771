// An MCP server over stdio: instructions and one tool.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new McpServer(
    { name: 'docs', version: '1.0.0' },
    { instructions: 'Call `search_docs` before you answer, and quote the page id of what you use.' },
  );
  server.registerTool('search_docs', { description: 'Searches the handbook' }, async () => ({
    content: [{ type: 'text', text: 'DOC-7: create the new key, deploy it, revoke the old one.' }],
  }));
  return server;
});
