import { createHash, createHmac } from 'node:crypto';

/** A request as a server got it. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** As AWS wants paths: each part of what is on the request line encoded once more. */
const encoded = (part: string): string =>
  encodeURIComponent(part).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * Checks a request as AWS does: by signing what came with the secret that both sides know.
 *
 * @returns whether the signature is that of this very request, its body included
 */
export function isSignedBy(secret: string, { method, target, headers, body }: SignedRequest): boolean {
  const given = /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    String(headers['authorization']),
  );
  if (given === null) return false;
  const [, scope = '', names = '', signature = ''] = given;
  const [date = '', region = '', service = ''] = scope.split('/');
  const url = new URL(target, 'http://host');
  const canonical = [
    method,
    url.pathname.split('/').map(encoded).join('/'),
    url.search.slice(1),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim().replaceAll(/\s+/g, ' ')}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, date), region), service), 'aws4_request');
  return hmac(key, toSign).toString('hex') === signature;
}
