import type { Client } from '@modelcontextprotocol/client';

import type { ConnectionEvents, ConnectionListener, ConnectionManagerOptions } from './connection-types.js';
import type { ServerConfig } from './server-config.js';
import type { ServerSnapshot, ServerStatus } from './server-state.js';

/** Owns the connections to the configured servers: one life for each id. */
export class ConnectionManager {
  readonly #options: ConnectionManagerOptions;

  constructor(options: ConnectionManagerOptions) {
    this.#options = options;
  }

  /** Starts to connect at once; an id that is there is replaced. @throws InstructionsError `INVALID_SERVER`, `CLOSED` */
  add(id: string, config: ServerConfig): void {
    void [this.#options, id, config];
    throw new Error('not built');
  }

  /** Reloads: servers that are no longer named go, changed ones are replaced, equal ones stay connected. */
  set(servers: Readonly<Record<string, ServerConfig>> | ReadonlyMap<string, ServerConfig>): void {
    void servers;
    throw new Error('not built');
  }

  /** Takes a server out and ends its process. An unknown id is a no-op. */
  async remove(id: string): Promise<void> {
    void id;
  }

  status(): readonly ServerStatus[];
  status(id: string): ServerStatus | undefined;
  status(id?: string): readonly ServerStatus[] | ServerStatus | undefined {
    return id === undefined ? [] : undefined;
  }

  /** The client to call tools with; `undefined` while there is no connection. */
  client(id: string): Client | undefined {
    void id;
    return undefined;
  }

  /** Ends the connection, if any, and connects anew at once. */
  async reconnect(id: string): Promise<void> {
    void id;
  }

  /** Pulls a fresh copy of the instructions over the live connection. */
  async refresh(id: string): Promise<void> {
    void id;
  }

  /** @returns a function that takes the listener off */
  on<Name extends keyof ConnectionEvents>(event: Name, listener: ConnectionListener<Name>): () => void {
    void [event, listener];
    return () => {};
  }

  snapshots(): readonly ServerSnapshot[] {
    return [];
  }

  /** Whether the first attempt of every server has ended. */
  get settled(): boolean {
    return true;
  }

  /** Resolves when {@link settled}; rejects when the signal aborts first. */
  async whenSettled(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
  }

  /** Ends every connection and process. Idempotent and bounded; works while connecting. */
  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
