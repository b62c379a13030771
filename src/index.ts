export { createInjector } from './injector.js';
export type {
  AdoptedSource,
  AdoptOptions,
  Audience,
  Conversation,
  ConversationOptions,
  Injector,
  Outcome,
  Prepared,
  PrepareOptions,
  Readiness,
  ReadyOptions,
  Review,
} from './injector.js';
export { admit, type Admission, type AdmitSettings } from './instructions/admit.js';
export { render } from './render/render.js';
export type { Delta, DeltaSection } from './render/delta.js';
export { InstructionsError, type InstructionsErrorCode } from './errors.js';
