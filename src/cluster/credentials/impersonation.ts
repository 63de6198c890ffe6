import { UserError } from '../../lib/base/errors.js';
import { type JsonObject, objectOf, textOf } from '../../lib/json/json.js';
import type { CredentialOverrides } from './credentials.js';

/**
 * Returns the headers for `as`, `as-uid`, `as-groups` and `as-user-extra` of a kubeconfig's user; each override replaces one of
 * them, as with kubectl. Throws UserError when there is one of the others without `as`; `what` begins the message.
 * https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
 */
export function impersonationHeaders(
  user: JsonObject,
  overrides: CredentialOverrides,
  what: string,
): Readonly<Record<string, string | string[]>> {
  const name = overrides.as ?? textOf(user['as']);
  const uid = overrides.asUid ?? textOf(user['as-uid']);
  const groups = overrides.asGroup ?? textsOf(user['as-groups']);
  const extra = Object.entries(objectOf(user['as-user-extra'])).map(([key, values]): [string, string[]] => [
    `impersonate-extra-${escapedKey(key)}`,
    textsOf(values).map(wireText),
  ]);
  if (name === undefined) {
    if (uid === undefined && groups.length === 0 && extra.length === 0) return {};
    throw new UserError(
      `${what}: as-uid, as-groups and as-user-extra require as (--as), the name of the user to impersonate`,
    );
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

/** The API server decodes percent-encoding, and header names know no upper case and no parentheses. */
function escapedKey(key: string): string {
  return encodeURIComponent(key.toLowerCase().toWellFormed()).replaceAll('(', '%28').replaceAll(')', '%29');
}
