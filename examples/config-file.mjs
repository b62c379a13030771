// The servers of a configuration file that hosts have already. Needs TICKETS_URL, as the quickstart does.
import { createInjector, readConfigFile } from 'mcp-instructions';

// #region read
const file = await readConfigFile('mcp.json');
for (const { message } of file.problems) console.warn(`left out: ${message}`);
for (const field of file.unknown) console.warn(`means nothing here: ${field}`);

const injector = createInjector({ servers: file.servers });
await injector.ready();
for (const { id, state } of injector.connections.status()) console.log(`${id}: ${state.state}`);
// #endregion
await injector.close();
