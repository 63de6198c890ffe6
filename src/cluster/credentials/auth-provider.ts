import type { User } from '@kubernetes/client-node';

import { UserError } from '../../lib/base/errors.js';
import { objectOf, parseJson, textOf } from '../../lib/json/json.js';

/** In place of the providers that kubectl has removed in 1.26. */
const plugins = new Map([
  ['gcp', 'gke-gcloud-auth-plugin (https://cloud.google.com/kubernetes-engine/docs/how-to/cluster-access-for-kubectl)'],
  ['azure', 'kubelogin (https://azure.github.io/kubelogin/)'],
]);

const oidcFix =
  'the exporter does not refresh tokens: let kubectl do it (kubectl version) and start again, or put this in the place of ' +
  'auth-provider, with https://github.com/int128/kubelogin: exec: {apiVersion: client.authentication.k8s.io/v1, ' +
  'interactiveMode: IfAvailable, command: kubectl, args: [oidc-login, get-token, ' +
  '--oidc-issuer-url=<idp-issuer-url>, --oidc-client-id=<client-id>]}';

/**
 * Returns a function for the ID token of a user with `auth-provider: oidc`, which throws UserError when the token has
 * expired; undefined for a user without a provider. Tokens are not refreshed: an issuer may accept a refresh token only
 * once, so the new one would have to be written into the kubeconfig; and client-node's refresh ignores the client secret,
 * the issuer's CA and proxies. Throws UserError, which begins with `description`, for other providers and without a token.
 */
export function idTokenReader(
  { name: userName, authProvider }: User,
  description: string,
): ((nowMs: number) => string) | undefined {
  const provider: unknown = authProvider;
  if (provider === undefined || provider === null) return undefined;
  const { name, config } = objectOf(provider);
  const providerName = textOf(name) ?? '';
  const provided = `auth-provider ${JSON.stringify(providerName)}`;
  if (providerName !== 'oidc') {
    const plugin = plugins.get(providerName) ?? 'the one of your provider';
    throw new UserError(
      `${description}: ${provided} is not supported; use an exec plugin in its place, such as ${plugin}`,
    );
  }
  const faultText = (fault: string): string => `${provided} of user ${JSON.stringify(userName)}: ${fault}; ${oidcFix}`;
  const token = textOf(textOf(objectOf(config)['id-token'])?.trim());
  if (token === undefined) throw new UserError(`${description}: ${faultText('it has no id-token')}`);
  return (nowMs) => {
    const expiresAtMs = expiryMsOf(token);
    if (expiresAtMs === undefined) throw new UserError(faultText('its id-token is not a JWT with an expiry'));
    if (nowMs >= expiresAtMs) throw new UserError(faultText('its id-token has expired'));
    return token;
  };
}

/** https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function expiryMsOf(token: string): number | undefined {
  const [, payload = ''] = token.split('.');
  const { exp } = objectOf(parseJson(Buffer.from(payload, 'base64url').toString()));
  return typeof exp === 'number' ? exp * 1000 : undefined;
}
