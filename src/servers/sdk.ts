import type * as ClientPackage from '@modelcontextprotocol/client';

/** The SDK's client package, as a value. */
export type Sdk = typeof ClientPackage;

let loading: Promise<Sdk> | undefined;

/** Loads the SDK on first use: its import takes a third of a second, which no host should pay before it connects. */
export function loadSdk(): Promise<Sdk> {
  loading ??= import('#mcp-client');
  return loading;
}
