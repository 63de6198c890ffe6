import type { Clock } from '../../lib/base/clock.js';
import { type JsonObject, objectsOf, textOf } from '../../lib/json/json.js';
import { idTokenReader } from './auth-provider.js';
import { checkCertificate, checkPrivateKey, readCredentialFile, readTextFile } from './credential-files.js';
import { basic, bearer, type CredentialMaterial, type TlsMaterial } from './credentials.js';
import { environmentProxy, proxyUrlOf, urlOf } from './environment-proxy.js';
import { type ExecCredential, ExecPlugin } from './exec-plugin.js';
import { impersonationHeaders, type ImpersonationOverrides } from './impersonation.js';
import { checkRules, type ContextOverrides, type KubeconfigContext, openContext } from './kubeconfig-context.js';
import type { CredentialSource } from './rotating-credentials.js';

export interface KubeconfigOptions {
  /** May be empty where the server is among the overrides. */
  readonly paths: readonly string[];
  readonly overrides: ContextOverrides & ImpersonationOverrides;
  /** Of exec plugins, and with the proxy for clusters that name none. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Takes what an exec plugin writes to standard error. */
  readonly onPluginOutput?: ((text: string) => void) | undefined;
}

/**
 * The cluster and the user of a kubeconfig context. Throws UserError when the context or a file that it names cannot be used.
 */
export async function kubeconfigSource(options: KubeconfigOptions): Promise<CredentialSource> {
  const context = await openContext(options.paths, options.overrides);
  const { cluster, user, credentials } = context;
  const description = describe(options, context);
  const server = urlOf(context.server, `${description}: server`, ['http:', 'https:']);
  const ownProxy = textOf(cluster['proxy-url']);
  const proxyUrl =
    ownProxy === undefined
      ? environmentProxy(server, options.environment)
      : proxyUrlOf(ownProxy, `${description}: proxy-url`);
  checkRules(context, description);
  await checkFiles(context, description);
  const impersonation = impersonationHeaders(user.settings, options.overrides, description);
  const plugin = await execPluginOf(context, options);
  const idToken = idTokenReader(user.name, credentials['auth-provider'], description);
  const read = async (signal: AbortSignal): Promise<CredentialMaterial> => {
    const exec = await plugin?.credential(signal);
    const own = await authorizationOf(credentials);
    const authorization = own ?? bearer(exec?.token ?? idToken?.(options.clock.nowMs()));
    return { headers: { ...authorization, ...impersonation }, tls: await readTls(context, exec) };
  };
  return {
    server,
    proxyUrl,
    namespace: context.namespace,
    disablesCompression: cluster['disable-compression'] === true,
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

/** They are read at every reading. Checked here, their faults are reported at the start. */
async function checkFiles(context: KubeconfigContext, description: string): Promise<void> {
  const { cluster, credentials } = context;
  const { ca, cert, key } = await readTls(context);
  const nameOf = (settings: JsonObject, name: string): string => {
    const path = textOf(settings[name]);
    return `${description}: ${path === undefined ? `${name}-data` : `${name} ${path}`}`;
  };
  if (ca !== undefined) checkCertificate(ca, nameOf(cluster, 'certificate-authority'));
  if (cert !== undefined) checkCertificate(cert, nameOf(credentials, 'client-certificate'));
  if (key !== undefined) checkPrivateKey(key, nameOf(credentials, 'client-key'));
  await authorizationOf(credentials);
}

async function execPluginOf(
  { server, cluster, user: { directory }, credentials }: KubeconfigContext,
  { environment, clock, onPluginOutput }: KubeconfigOptions,
): Promise<ExecPlugin | undefined> {
  const settings = credentials['exec'];
  if (settings === undefined || settings === null) return undefined;
  const ca = await readPem(cluster, 'certificate-authority');
  const passedOn = ['tls-server-name', 'insecure-skip-tls-verify', 'proxy-url', 'disable-compression'];
  return new ExecPlugin({
    settings,
    directory,
    environment,
    cluster: {
      server,
      'certificate-authority-data': ca && Buffer.from(ca).toString('base64'),
      ...Object.fromEntries(passedOn.map((name) => [name, cluster[name]])),
      config: pluginConfigOf(cluster),
    },
    clock,
    onOutput: onPluginOutput,
  });
}

/** https://kubernetes.io/docs/reference/config-api/client-authentication.v1/#client-authentication-k8s-io-v1-Cluster */
function pluginConfigOf({ extensions }: JsonObject): unknown {
  return objectsOf(extensions).find(({ name }) => name === 'client.authentication.k8s.io/exec')?.['extension'];
}

/** A token file takes precedence over a token. Undefined without any of them. */
async function authorizationOf({
  tokenFile,
  token,
  username,
  password,
}: JsonObject): Promise<Readonly<Record<string, string>> | undefined> {
  const path = textOf(tokenFile);
  if (path !== undefined) return bearer(await readCredentialFile(path, 'token file'));
  const user = textOf(username);
  if (user !== undefined) return basic({ user, password: textOf(password) ?? '' });
  const text = textOf(textOf(token)?.trim());
  return text === undefined ? undefined : bearer(text);
}

async function readTls({ cluster, credentials }: KubeconfigContext, exec?: ExecCredential): Promise<TlsMaterial> {
  return {
    ca: await readPem(cluster, 'certificate-authority'),
    cert: exec?.cert ?? (await readPem(credentials, 'client-certificate')),
    key: exec?.key ?? (await readPem(credentials, 'client-key')),
    serverName: textOf(cluster['tls-server-name']),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
  };
}

/** The text of the file of this name among the settings, or of its data. */
async function readPem(settings: JsonObject, name: string): Promise<string | undefined> {
  const path = textOf(settings[name]);
  if (path !== undefined) return readTextFile(path, name);
  const data = textOf(settings[`${name}-data`]);
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString();
}
