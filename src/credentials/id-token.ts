import { isObject } from '../kube/json.js';

export interface IdTokenTimes {
  /** Wall time of the issuer. */
  readonly expiresAtMs: number;
  /** Undefined when the token does not say when it was issued. */
  readonly issuedAtMs: number | undefined;
}

/** Throws Error, without a part of the token. https://www.rfc-editor.org/rfc/rfc7519#section-4.1 */
export function idTokenTimes(token: string): IdTokenTimes {
  const [, payload = '', signature] = token.split('.');
  const claims = signature === undefined ? undefined : parsed(Buffer.from(payload, 'base64url').toString());
  if (!isObject(claims)) throw new Error('it is not a JWT');
  const { exp, iat } = claims;
  if (typeof exp !== 'number') throw new Error('it has no expiry');
  return { expiresAtMs: exp * 1000, issuedAtMs: typeof iat === 'number' ? iat * 1000 : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
