export { parseInstructionsOptions, parseServerConfig } from './parse-server-config.js';
export type {
  CheckedCommon,
  CheckedHttpServer,
  CheckedServer,
  CheckedStdioServer,
  CommonServerOptions,
  HttpServerConfig,
  InstructionsMode,
  InstructionsOptions,
  InstructionsPolicy,
  Protocol,
  ServerConfig,
  StdioServerConfig,
} from './server-options.js';
