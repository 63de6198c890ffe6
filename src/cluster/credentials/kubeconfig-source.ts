import type { RequestOptions } from 'node:https';

import type { Cluster, User } from '@kubernetes/client-node';

import type { Clock } from '../../lib/base/clock.js';
import { UserError } from '../../lib/base/errors.js';
import { type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import { checkPem, readCredentialFile, readTextFile } from './credential-files.js';
import { basic, bearer, type CredentialMaterial, type CredentialOverrides, type TlsMaterial } from './credentials.js';
import { environmentProxy, proxyUrlOf, urlOf } from './environment-proxy.js';
import { type ExecCredential, execPlugin } from './exec-plugin.js';
import { impersonationHeaders } from './impersonation.js';
import { type KubeconfigContext, openContext } from './kubeconfig-context.js';
import type { CredentialSource } from './rotating-credentials.js';

export interface KubeconfigOptions {
  /** May be empty where the server is among the overrides. */
  readonly paths: readonly string[];
  readonly overrides: CredentialOverrides;
  /** Of exec plugins, and with the proxy for clusters that name none. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Takes what an exec plugin writes to standard error. */
  readonly onPluginOutput?: ((text: string) => void) | undefined;
}

/**
 * The cluster and the user of a kubeconfig context. client-node handles certificates, static tokens and
 * passwords; it is loaded only here, since it takes 300 ms and 70 MB. The others are handled here: client-node does not know
 * `tokenFile` and most settings of impersonation, starts one plugin for each concurrent request, waits for it without
 * limit and does not pass it the request.
 *
 * Throws UserError when the context or a file that it names cannot be used.
 */
export async function kubeconfigSource(options: KubeconfigOptions): Promise<CredentialSource> {
  const context = await openContext(options.paths, options.overrides);
  const { cluster, user } = context;
  const description = describe(options, context);
  const server = urlOf(cluster.server, `${description}: server`, ['http:', 'https:']);
  const ownProxy =
    cluster.proxyUrl === undefined ? undefined : proxyUrlOf(cluster.proxyUrl, `${description}: proxy-url`);
  const proxyUrl = ownProxy ?? environmentProxy(server, options.environment);
  checkAuthProvider(user, description);
  await checkFiles(context, description);
  const impersonation = impersonationHeaders(context.userSettings, options.overrides, description);
  const plugin = await execPluginOf(context, options);
  const read = async (signal: AbortSignal): Promise<CredentialMaterial> => {
    const httpsOptions = await applyClientNode(cluster, user);
    const exec = await plugin?.credential(signal);
    const authorization = { ...bearer(exec?.token), ...(await authorizationOf(context, httpsOptions)) };
    return { headers: { ...authorization, ...impersonation }, tls: tlsOf(cluster, httpsOptions, exec) };
  };
  return {
    server,
    proxyUrl,
    namespace: context.namespace,
    disablesCompression: context.clusterSettings['disable-compression'] === true,
    description: proxyUrl === undefined ? description : `${description}, through the proxy ${proxyUrl.host}`,
    read,
    forget: () => plugin?.forget(),
  };
}

/** Names the places that the credentials are from, with what replaces them. */
function describe({ paths, overrides }: KubeconfigOptions, { name }: KubeconfigContext): string {
  const { cluster, user, server } = overrides;
  const flags = Object.entries({ cluster, user, server }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag} ${value}`],
  );
  const file = paths.length === 0 ? [] : [`kubeconfig ${paths.join(', ')}`];
  return [...file, ...(name === '' ? [] : [`context ${name}`]), ...flags].join(', ');
}

/** Their tokens would have to be refreshed and written into the kubeconfig: plugins do that. */
function checkAuthProvider({ authProvider }: User, description: string): void {
  const provider: unknown = authProvider;
  if (provider === undefined || provider === null) return;
  const name = JSON.stringify(textOf(objectOf(provider)['name']) ?? '');
  throw new UserError(
    `${description}: auth-provider ${name} is not supported; use an exec plugin in its place, such as kubelogin (https://github.com/int128/kubelogin)`,
  );
}

/** client-node reads these files at every reading. Checked here, their faults are reported at the start. */
async function checkFiles({ cluster, user, tokenFile }: KubeconfigContext, description: string): Promise<void> {
  const sources = [
    { setting: 'certificate-authority', path: cluster.caFile, data: cluster.caData, kind: 'certificate' },
    { setting: 'client-certificate', path: user.certFile },
    { setting: 'client-key', path: user.keyFile, data: user.keyData, kind: 'private key' },
    { setting: 'tokenFile', path: tokenFile },
  ] as const;
  for (const { setting, path, ...pem } of sources) {
    const what = `${description}: ${setting}`;
    const text = path && (await readCredentialFile(path, what));
    if (!('kind' in pem)) continue;
    // A file takes precedence over data, as in client-node.
    if (text) checkPem(pem.kind, text, `${what} ${path}`);
    else if (pem.data) checkPem(pem.kind, Buffer.from(pem.data, 'base64').toString(), `${what}-data`);
  }
}

async function execPluginOf(
  { cluster, clusterSettings, user }: KubeconfigContext,
  options: KubeconfigOptions,
): Promise<ReturnType<typeof execPlugin> | undefined> {
  const settings: unknown = user.exec;
  if (settings === undefined || settings === null) return undefined;
  const caFile = cluster.caFile && (await readTextFile(cluster.caFile, 'certificate-authority'));
  return execPlugin({
    settings,
    environment: options.environment,
    cluster: {
      server: cluster.server,
      'certificate-authority-data': caFile ? Buffer.from(caFile).toString('base64') : cluster.caData,
      'tls-server-name': cluster.tlsServerName,
      'insecure-skip-tls-verify': cluster.skipTLSVerify,
      'proxy-url': cluster.proxyUrl,
      'disable-compression': clusterSettings['disable-compression'],
      config: pluginConfigOf(clusterSettings),
    },
    clock: options.clock,
    onOutput: options.onPluginOutput,
  });
}

/** https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
function pluginConfigOf({ extensions }: JsonObject): unknown {
  return objectsOf(extensions).find(({ name }) => name === 'client.authentication.k8s.io/exec')?.['extension'];
}

/** A new KubeConfig each time, so that its caches do not outlive a reading. It refuses plain http unless TLS is skipped. */
async function applyClientNode(cluster: Cluster, user: User): Promise<RequestOptions> {
  const { KubeConfig } = await import('./kube-config.js');
  const config = new KubeConfig();
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith('http:');
  const token = textOf(user.token);
  config.loadFromClusterAndUser(
    { ...cluster, skipTLSVerify },
    {
      ...user,
      ...(token === undefined ? {} : { token: token.trim() }),
      password: user.password ?? '', // client-node sends a missing one as the word undefined
      exec: undefined,
      authProvider: undefined,
    },
  );
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

/** A token file takes precedence over a token. */
async function authorizationOf(
  { tokenFile }: KubeconfigContext,
  { headers, auth }: RequestOptions,
): Promise<Readonly<Record<string, string>>> {
  if (tokenFile !== undefined) return bearer(await readCredentialFile(tokenFile, 'token file'));
  if (auth) return basic(auth);
  const authorization = textOf(objectOf(headers)['Authorization']);
  return authorization === undefined ? {} : { authorization: authorization.trim() };
}

function tlsOf(cluster: Cluster, options: RequestOptions, exec: ExecCredential | undefined): TlsMaterial {
  return {
    ca: pemOf(options.ca),
    cert: exec?.cert ?? pemOf(options.cert),
    key: exec?.key ?? pemOf(options.key),
    serverName: textOf(cluster.tlsServerName),
    rejectUnauthorized: !cluster.skipTLSVerify,
  };
}

/** client-node returns Buffers. */
function pemOf(value: unknown): string | undefined {
  return Buffer.isBuffer(value) ? value.toString() : undefined;
}
