import type { LedgerData } from '../conversation/ledger-data.js';
import type { Audience } from './audience.js';

/** Options of `injector.conversation()`. */
export interface ConversationOptions {
  /** Which servers the conversation is told about. @default all */
  readonly servers?: Audience;
  /** What `toJSON()` gave earlier; merged where the id is already open. */
  readonly ledger?: LedgerData;
}

/** The names of {@link ConversationOptions}. */
export const conversationOptions: Readonly<Record<keyof ConversationOptions, true>> = {
  servers: true,
  ledger: true,
};
