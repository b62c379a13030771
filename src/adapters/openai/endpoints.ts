/** What a path's requests are, and whether they are answered by the model. */
export interface Endpoint {
  readonly api: 'chat' | 'responses';
  readonly isCount: boolean;
}

/** The ends of paths, whatever stands before them: a version, a deployment of Azure's, a gateway's prefix. */
const ENDPOINTS: readonly (readonly [end: string, endpoint: Endpoint])[] = [
  ['/chat/completions', { api: 'chat', isCount: false }],
  ['/responses', { api: 'responses', isCount: false }],
  ['/responses/input_tokens', { api: 'responses', isCount: true }],
];

/**
 * Finds what a request is.
 *
 * @param url where it goes
 * @param method its method; only `POST` is of interest
 * @returns `undefined` for any other request
 */
export function endpointOf(url: string, method: string | undefined): Endpoint | undefined {
  if (method?.toUpperCase() !== 'POST' || !URL.canParse(url)) return undefined;
  const path = new URL(url).pathname.replace(/\/$/, '');
  return ENDPOINTS.find(([end]) => path.endsWith(end))?.[1];
}
