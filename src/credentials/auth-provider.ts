import { messageOf, UserError } from '../base/errors.js';
import { objectOf, textOf } from '../kube/json.js';

/** In place of the providers that kubectl has removed in 1.26. */
const plugins = new Map([
  ['gcp', 'gke-gcloud-auth-plugin (https://cloud.google.com/kubernetes-engine/docs/how-to/cluster-access-for-kubectl)'],
  ['azure', 'kubelogin (https://azure.github.io/kubelogin/)'],
]);

const oidcPlugin = 'kubectl oidc-login get-token (https://github.com/int128/kubelogin)';

/**
 * The `auth-provider` of a kubeconfig's user. Of `oidc`, the ID token is used while it is valid. It is not refreshed:
 * client-node 1.4 cannot, and a refresh token that is used up must be replaced in the kubeconfig, which kubectl shares.
 * client-node's others run commands that block the process.
 */
export class AuthProvider {
  readonly #idToken: string;
  readonly #what: string;

  private constructor(idToken: string, what: string) {
    this.#idToken = idToken;
    this.#what = what;
  }

  /**
   * Undefined without a provider; `description` begins error messages. Throws UserError for a provider other than `oidc`,
   * and for one without a token.
   */
  static of(settings: unknown, description: string): AuthProvider | undefined {
    if (settings === undefined || settings === null) return undefined;
    const { name, config } = objectOf(settings);
    const provider = textOf(name) ?? '';
    const what = `${description}: auth-provider ${JSON.stringify(provider)}`;
    if (provider !== 'oidc') {
      throw new UserError(
        `${what} is not supported; ${useInstead(plugins.get(provider) ?? 'the one of your provider')}`,
      );
    }
    const idToken = textOf(objectOf(config)['id-token'])?.trim() ?? '';
    if (idToken === '') throw new UserError(`${what} has no id-token; log in, or ${useInstead(oidcPlugin)}`);
    return new AuthProvider(idToken, what);
  }

  /** Throws UserError when the token has expired; `nowMs` is wall time. */
  token(nowMs: number): string {
    const expiresAtMs = expiryOf(this.#idToken, this.#what);
    if (nowMs < expiresAtMs) return this.#idToken;
    const expired = `its id-token has expired at ${new Date(expiresAtMs).toISOString()}, and the exporter does not refresh it`;
    throw new UserError(`${this.#what}: ${expired}; ${useInstead(oidcPlugin)}`);
  }
}

function useInstead(plugin: string): string {
  return `use an exec plugin in its place, such as ${plugin}`;
}

/** https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4 */
function expiryOf(token: string, what: string): number {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const seconds = objectOf(payload)['exp'];
    if (typeof seconds === 'number') return seconds * 1000;
    throw new Error('it has no expiry');
  } catch (error) {
    throw new UserError(
      `${what}: its id-token cannot be read: ${error instanceof SyntaxError ? 'it is not a JWT' : messageOf(error)}`,
    );
  }
}
