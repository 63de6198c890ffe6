import { UserError } from '../base/errors.js';
import { type JsonObject, objectOf, textOf } from '../json/json.js';

/**
 * The headers for `as`, `as-uid`, `as-groups` and `as-user-extra` of a kubeconfig's user. Throws UserError when there is one of
 * the others without `as`; `what` begins the message.
 * https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export function impersonationHeaders(user: JsonObject, what: string): Readonly<Record<string, string | string[]>> {
  const name = textOf(user['as']);
  const uid = textOf(user['as-uid']);
  const groups = textsOf(user['as-groups']);
  const extra = Object.entries(objectOf(user['as-user-extra'])).map(([key, values]): [string, string[]] => [
    `impersonate-extra-${escapedKey(key)}`,
    textsOf(values).map(wireText),
  ]);
  if (name === undefined) {
    if (uid === undefined && groups.length === 0 && extra.length === 0) return {};
    throw new UserError(`${what}: as-uid, as-groups and as-user-extra require as, the name of the user to impersonate`);
  }
  return {
    'impersonate-user': wireText(name),
    ...(uid === undefined ? {} : { 'impersonate-uid': wireText(uid) }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups.map(wireText) }),
    ...Object.fromEntries(extra),
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Node.js writes one byte for each character; the API server reads UTF-8. */
function wireText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The API server decodes percent-encoding, and header names know no upper case. */
function escapedKey(key: string): string {
  return Array.from(Buffer.from(key.toLowerCase()), (byte) => {
    const character = String.fromCharCode(byte);
    return /[a-z0-9!#$&'*+.^_`|~-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}
