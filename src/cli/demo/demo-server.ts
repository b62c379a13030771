// A stdio MCP server of the demo, without any SDK: `node demo-server.js <id> [port]`. With a port it answers nothing before
// that connection is ended: a server that is slow to start.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

import { demoServers, type DemoServer } from './demo-texts.js';

interface RpcRequest {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

type RpcAnswer = { readonly result: object } | { readonly error: { code: number; message: string } };

/** What results of the modern era say besides. */
const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } as const;

const UNKNOWN: RpcAnswer = { error: { code: -32601, message: 'Method not found' } };

function answer(id: string, server: DemoServer, { method, params }: RpcRequest): RpcAnswer {
  const { isModern, instructions, tool } = server;
  const serverInfo = { name: `demo-${id}`, version: '1.0.0' };
  const about = { capabilities: { tools: {} }, instructions };
  switch (method) {
    case 'initialize':
      return { result: { ...about, protocolVersion: params?.protocolVersion, serverInfo } };
    case 'server/discover': {
      if (!isModern) return UNKNOWN;
      const meta = { 'io.modelcontextprotocol/serverInfo': serverInfo };
      return { result: { ...COMPLETE, ...about, supportedVersions: ['2026-07-28'], _meta: meta } };
    }
    case 'ping':
      return { result: {} };
    case 'tools/list': {
      const { name, description } = tool;
      return { result: { ...COMPLETE, tools: [{ name, description, inputSchema: { type: 'object' } }] } };
    }
    case 'tools/call':
      return { result: { ...COMPLETE, content: [{ type: 'text', text: tool.answer }] } };
    default:
      return UNKNOWN;
  }
}

function serve(id: string, server: DemoServer): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const request: RpcRequest = JSON.parse(line);
    if (request.id === undefined) return;
    const reply = { jsonrpc: '2.0', id: request.id, ...answer(id, server, request) };
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
}

const [id = '', port] = process.argv.slice(2);
const server = demoServers.get(id);
if (server === undefined) throw new Error('expected the id of a demo server');
if (port !== undefined) {
  const gate = connect(Number(port), '127.0.0.1').resume();
  await new Promise((resolve) => {
    gate.once('close', resolve).once('error', resolve);
  });
}
serve(id, server);
