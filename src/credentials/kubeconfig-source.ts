import type { RequestOptions } from 'node:https';

import type { Cluster, User } from '@kubernetes/client-node';

import type { Clock } from '../base/clock.js';
import { objectOf, textOf } from '../kube/json.js';
import { AuthProvider } from './auth-provider.js';
import { checkCertificate, checkPrivateKey, readCredentialFile } from './credential-files.js';
import { bearer, type CredentialMaterial, type TlsMaterial } from './credentials.js';
import { environmentProxy } from './environment-proxy.js';
import { type ExecCredential, ExecPlugin } from './exec-plugin.js';
import { type KubeconfigContext, openContext } from './kubeconfig-context.js';
import type { CredentialSource } from './rotating-credentials.js';
import { proxyUrlOf, urlOf } from './url.js';

export interface KubeconfigOptions {
  readonly paths: readonly string[];
  /** The current context without it. */
  readonly context: string | undefined;
  /** Of exec plugins, and with the proxy for clusters that name none. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/**
 * The cluster and the user of a kubeconfig context. client-node handles certificates, static tokens, passwords and
 * impersonation; it is loaded only here, since it takes 300 ms and 70 MB. Token files, auth providers and exec plugins are
 * handled here: client-node does not know `tokenFile`, starts one plugin for each concurrent request, waits for it without
 * limit and does not pass it the request.
 *
 * Throws UserError when the context or a file that it names cannot be used.
 */
export async function kubeconfigSource(options: KubeconfigOptions): Promise<CredentialSource> {
  const context = await openContext(options.paths, options.context);
  const { cluster, user } = context;
  const description = `kubeconfig ${options.paths.join(', ')}, context ${context.name}`;
  const server = urlOf(cluster.server, `${description}: server`, ['http:', 'https:']);
  const ownProxy =
    cluster.proxyUrl === undefined ? undefined : proxyUrlOf(cluster.proxyUrl, `${description}: proxy-url`);
  const proxyUrl = ownProxy ?? environmentProxy(server, options.environment);
  await checkFiles(context, description);
  const plugin = execPluginOf(context, options);
  const provider = AuthProvider.of(user.authProvider, description);
  const read = async (signal: AbortSignal): Promise<CredentialMaterial> => {
    const httpsOptions = await applyClientNode(cluster, user);
    const exec = await plugin?.credential(signal);
    const token = (await tokenOf(context, exec)) ?? provider?.token(options.clock.nowMs());
    return { headers: { ...headersOf(httpsOptions), ...bearer(token) }, tls: tlsOf(cluster, httpsOptions, exec) };
  };
  return {
    server,
    proxyUrl,
    namespace: context.namespace,
    description: proxyUrl === undefined ? description : `${description}, through the proxy ${proxyUrl.host}`,
    read,
    forget: () => plugin?.forget(),
  };
}

/** client-node reads these files at every reading. Checked here, their faults are reported at the start. */
async function checkFiles({ cluster, user, tokenFile }: KubeconfigContext, description: string): Promise<void> {
  const files = {
    'certificate-authority': cluster.caFile,
    'client-certificate': user.certFile,
    'client-key': user.keyFile,
  };
  for (const [setting, path] of Object.entries({ ...files, tokenFile })) {
    if (path) await readCredentialFile(path, `${description}: ${setting}`);
  }
  const ca = { what: `${description}: certificate-authority`, path: cluster.caFile, data: cluster.caData };
  await checkPem(ca, checkCertificate);
  const key = { what: `${description}: client-key`, path: user.keyFile, data: user.keyData };
  await checkPem(key, checkPrivateKey);
}

/** A file takes precedence over data, as in client-node. */
async function checkPem(
  {
    what,
    path,
    data,
  }: { readonly what: string; readonly path?: string | undefined; readonly data?: string | undefined },
  check: (pem: string | Buffer, what: string) => void,
): Promise<void> {
  if (path) check(await readCredentialFile(path, what), `${what} ${path}`);
  else if (data) check(Buffer.from(data, 'base64'), `${what}-data`);
}

function execPluginOf(
  { cluster, user, directory }: KubeconfigContext,
  options: KubeconfigOptions,
): ExecPlugin | undefined {
  const settings: unknown = user.exec;
  if (settings === undefined || settings === null) return undefined;
  return new ExecPlugin({
    settings,
    directory,
    environment: options.environment,
    cluster: {
      server: cluster.server,
      'certificate-authority-data': cluster.caData,
      'tls-server-name': cluster.tlsServerName,
      'insecure-skip-tls-verify': cluster.skipTLSVerify,
      'proxy-url': cluster.proxyUrl,
    },
    clock: options.clock,
  });
}

/** A new KubeConfig each time, so that its caches do not outlive a reading. It refuses plain http unless TLS is skipped. */
async function applyClientNode(cluster: Cluster, user: User): Promise<RequestOptions> {
  const { KubeConfig } = await import('./kube-config.js');
  const config = new KubeConfig();
  const skipTLSVerify = cluster.skipTLSVerify || cluster.server.startsWith('http:');
  const token = textOf(user.token);
  config.loadFromClusterAndUser(
    { ...cluster, skipTLSVerify },
    { ...user, ...(token === undefined ? {} : { token: token.trim() }), exec: undefined, authProvider: undefined },
  );
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

async function tokenOf(
  { tokenFile }: KubeconfigContext,
  exec: ExecCredential | undefined,
): Promise<string | undefined> {
  return tokenFile === undefined ? exec?.token : await readCredentialFile(tokenFile, 'token file');
}

function headersOf({ headers, auth }: RequestOptions): Record<string, string> {
  const entries = Object.entries(objectOf(headers)).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name.toLowerCase(), value.trim()]] : [],
  );
  const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  return { ...Object.fromEntries(entries), ...basic };
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
