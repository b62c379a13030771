export { parseInstructionsOptions, parseServerConfig } from './parse-server-config.js';
export type {
  CheckedServer,
  CommonServerOptions,
  HttpServerConfig,
  InstructionsMode,
  InstructionsOptions,
  InstructionsPolicy,
  Protocol,
  ServerConfig,
  StdioServerConfig,
} from './server-options.js';
