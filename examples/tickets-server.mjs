// An MCP server over HTTP on loopback: instructions and one tool. Prints its address.
import { createServer } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new McpServer(
      { name: 'tickets', version: '1.0.0' },
      { instructions: 'Read a ticket with `get_ticket` before you change it. Never close one.' },
    );
    server.registerTool('get_ticket', { description: 'Reads one ticket' }, async () => ({
      content: [{ type: 'text', text: 'T-1042: Signing key expires on Friday.' }],
    }));
    return server;
  }),
);

const server = createServer((request, response) => {
  if (request.headers.authorization === 'Bearer example-token') void handler(request, response);
  else response.writeHead(401).end();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/mcp`);
});
