/** One tool of a demo server. */
export interface DemoTool {
  readonly name: string;
  readonly description: string;
  readonly answer: string;
}

/** What a demo server says. */
export interface DemoServer {
  /** Whether it knows `server/discover` beside `initialize`. */
  readonly isModern: boolean;
  readonly instructions: string;
  readonly tool: DemoTool;
}

/** The servers of the demo, by id. */
export const demoServers: ReadonlyMap<string, DemoServer> = new Map([
  [
    'docs',
    {
      isModern: false,
      instructions: [
        'Call `search_docs` before you answer, and quote the page id (such as DOC-7) of what you use.',
        'Page ids change with every release: never reuse one from memory.',
      ].join('\n'),
      tool: {
        name: 'search_docs',
        description: 'Searches the handbook',
        answer: 'DOC-7 Rotate a signing key: 1. create the new key, 2. deploy it, 3. revoke the old one.',
      },
    },
  ],
  [
    'tickets',
    {
      isModern: true,
      instructions: [
        'A ticket number looks like T-1042. Read a ticket with `get_ticket` before you change it.',
        'Never close a ticket; leave that to the user.',
      ].join('\n'),
      tool: {
        name: 'get_ticket',
        description: 'Reads one ticket',
        answer: 'T-1042 Signing key expires on Friday. Open.',
      },
    },
  ],
  [
    'deploys',
    {
      isModern: false,
      instructions: 'Times are UTC. Production is frozen from Friday 12:00 to Monday 06:00.',
      tool: {
        name: 'list_deploys',
        description: 'Lists deploys',
        answer: 'No deploys are planned.',
      },
    },
  ],
]);
