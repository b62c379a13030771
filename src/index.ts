export { createInjector } from './injector.js';
export type {
  AdoptedSource,
  AdoptOptions,
  Audience,
  Conversation,
  ConversationOptions,
  Injector,
  InstructionsSourceObject,
  Outcome,
  Prepared,
  PrepareOptions,
  Readiness,
  ReadyOptions,
  Review,
  TrustState,
} from './injector.js';
export type {
  AnthropicContext,
  AnthropicMiddleware,
  AnthropicRequest,
} from './injector/anthropic-middleware.js';
export type { Options, TrustPolicy } from './options.js';
export type { CountingClient } from './options/settings.js';
export type { LoggerLike, LogLevel, LogLevelSetting, LogMethod } from './observe/logger.js';

export { admit } from './instructions/admit.js';
export type { Admission, AdmissionState, AdmitSettings } from './instructions/admit.js';
export type { Flag, FlagCounts } from './instructions/flags.js';
export { render } from './render/render.js';
export type { Delta, DeltaSection } from './render/delta.js';

export { formatReportLine, formatReportTable } from './cost/format-report.js';
export type { CountMethod, NotCounted } from './cost/count.js';
export type {
  InstructionsLimit,
  Report,
  ReportReason,
  ServerChange,
  ServerOutcome,
  ServerReport,
  TokenReport,
} from './cost/report.js';

export type { ConnectionManager } from './servers/connection-manager.js';
export { readConfigFile } from './servers/read-config-file.js';
export type { ConfigFile, ConfigFileOptions, VariableSource } from './servers/read-config-file.js';
export type { ConnectionEvents, ConnectionListener } from './servers/connection-types.js';
export type {
  CommonServerOptions,
  HttpServerConfig,
  InstructionsMode,
  InstructionsOptions,
  Protocol,
  ServerConfig,
  StdioServerConfig,
} from './servers/server-config.js';
export type {
  ConnectedState,
  ConnectingState,
  CrashLoopingState,
  Era,
  FailedState,
  Failure,
  FailureKind,
  IdleState,
  InstructionsRecord,
  InstructionsSource,
  NeedsAuthState,
  ProcessTrace,
  RemovedState,
  ServerDisplayInfo,
  ServerState,
  ServerStatus,
  UnavailableState,
} from './servers/server-state.js';

export { fileStore, type FileStoreOptions } from './stores/file-store.js';
export { memoryStore, type MemoryStore, type MemoryStoreOptions } from './stores/memory-store.js';
export type { Awaitable, LedgerStore } from './stores/ledger-store.js';
export type { LedgerData } from './conversation/ledger-data.js';
export { defineFormat } from './formats/message-list.js';
export type { AnswerParts, FormatOptions, FormatShape, MessageRole } from './formats/format-shape.js';
export type { Answer, RequestFormat } from './formats/request-format.js';
export type { AssistantTurn, Placement, Reading, UserTurn } from './conversation/reading.js';
export type { Digest } from './conversation/digest.js';
export type { AnyRequest, InlineObject, InlineValue } from './formats/inline-request.js';
export type { MessagesBlock, MessagesMessage, MessagesRequest } from './formats/messages-request.js';

export { InstructionsError, type InstructionsErrorCode } from './errors.js';
