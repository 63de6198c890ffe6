import { UserError } from '../base/errors.js';
import { objectOf, textOf } from '../kube/json.js';
import type { AuthProviderConfig } from './auth-provider-file.js';

/** In place of the providers that kubectl has removed in 1.26. */
const plugins = new Map([
  ['gcp', 'gke-gcloud-auth-plugin (https://cloud.google.com/kubernetes-engine/docs/how-to/cluster-access-for-kubectl)'],
  ['azure', 'kubelogin (https://azure.github.io/kubelogin/)'],
]);

const oidcPlugin = 'kubectl oidc-login get-token (https://github.com/int128/kubelogin)';

/** The fix for a login that has ended. */
export const loginHint = `log in again with the tool that wrote the kubeconfig, or ${useInstead(oidcPlugin)}`;

/** The settings of the `auth-provider` named `oidc`. https://kubernetes.io/docs/reference/access-authn-authz/authentication/#using-kubectl */
export interface OidcSettings {
  readonly issuerUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** As in kubectl, relative to the working directory. */
  readonly caFile: string | undefined;
  /** Base64 of PEM. Takes precedence over the file. */
  readonly caData: string | undefined;
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
}

export function oidcSettingsOf(config: AuthProviderConfig): OidcSettings {
  const setting = (name: string): string | undefined => textOf(textOf(config[name])?.trim());
  return {
    issuerUrl: setting('idp-issuer-url'),
    clientId: setting('client-id'),
    clientSecret: setting('client-secret'),
    caFile: setting('idp-certificate-authority'),
    caData: setting('idp-certificate-authority-data'),
    idToken: setting('id-token'),
    refreshToken: setting('refresh-token'),
  };
}

/**
 * The settings of the `auth-provider` of a kubeconfig's user; undefined without one. `description` begins error messages.
 * Throws UserError for a provider other than `oidc`, and for one without any token.
 */
export function oidcConfigOf(provider: unknown, description: string): AuthProviderConfig | undefined {
  if (provider === undefined || provider === null) return undefined;
  const { name, config } = objectOf(provider);
  const providerName = textOf(name) ?? '';
  const what = `${description}: auth-provider ${JSON.stringify(providerName)}`;
  if (providerName !== 'oidc') {
    const plugin = plugins.get(providerName) ?? 'the one of your provider';
    throw new UserError(`${what} is not supported; ${useInstead(plugin)}`);
  }
  const { idToken, refreshToken } = oidcSettingsOf(objectOf(config));
  if (idToken === undefined && refreshToken === undefined) {
    throw new UserError(`${what} has neither id-token nor refresh-token; ${loginHint}`);
  }
  return objectOf(config);
}

function useInstead(plugin: string): string {
  return `use an exec plugin in its place, such as ${plugin}`;
}
