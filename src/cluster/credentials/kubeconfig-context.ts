import { dirname, resolve } from 'node:path';

import type { Cluster, Context, KubeConfig, User } from '@kubernetes/client-node';
import { parse } from 'yaml';

import { UserError } from '../../lib/base/errors.js';
import { yamlProblem } from '../../lib/base/yaml-problem.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import { readTextFile } from './credential-files.js';
import type { CredentialOverrides } from './credentials.js';

// `import type`: nothing is loaded

/** A context of a kubeconfig, with its cluster and its user. Paths are absolute. */
export interface KubeconfigContext {
  readonly name: string;
  /** Undefined when the context names none; kubectl then uses `default`. */
  readonly namespace: string | undefined;
  readonly cluster: Cluster;
  /** With the name alone over plain HTTP that is assumed, or set by a flag: kubectl sends no credentials there. */
  readonly user: User;
  /** As written, with the settings that client-node does not know. */
  readonly clusterSettings: JsonObject;
  readonly userSettings: JsonObject;
  /** Of the user, which client-node does not know. */
  readonly tokenFile: string | undefined;
  /** Of the file that contains the user. */
  readonly directory: string;
}

interface KubeconfigFile {
  readonly directory: string;
  readonly config: KubeConfig;
  /** As written, by name. */
  readonly clusters: ReadonlyMap<string, JsonObject>;
  readonly users: ReadonlyMap<string, JsonObject>;
}

interface OpenedFiles {
  readonly files: readonly KubeconfigFile[];
  /** Names them in messages. */
  readonly place: string;
}

/**
 * The context of that name, else the current one. When several files define the same name, the first one wins. Without a
 * file, `server` must be set. Throws UserError.
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
export async function openContext(
  paths: readonly string[],
  overrides: CredentialOverrides,
): Promise<KubeconfigContext> {
  const opened = await openFiles(paths);
  const context = findContext(opened, overrides);
  const cluster = findCluster(opened, context, overrides);
  const user = findUser(opened, context, overrides);
  const directory = user.file?.directory ?? '.';
  const clusterSettings = objectOf(cluster.file?.clusters.get(cluster.entry.name));
  const userSettings = objectOf(user.file?.users.get(user.entry.name));
  const hasScheme = overrides.server === undefined && String(clusterSettings['server']).includes('://');
  const isAnonymous = !hasScheme && /^http:/i.test(cluster.entry.server);
  const tokenFile = isAnonymous ? undefined : textOf(userSettings['tokenFile']);
  return {
    name: context.name,
    namespace: textOf(context.namespace),
    cluster: cluster.entry,
    user: isAnonymous ? { name: user.entry.name } : user.entry,
    clusterSettings,
    userSettings,
    tokenFile: tokenFile === undefined ? undefined : resolve(directory, tokenFile),
    directory,
  };
}

async function openFiles(paths: readonly string[]): Promise<OpenedFiles> {
  const { KubeConfig } = await import('./kube-config.js');
  const files: KubeconfigFile[] = [];
  for (const path of paths) files.push(openFile(path, await readTextFile(path, 'kubeconfig'), new KubeConfig()));
  return { files, place: paths.length === 0 ? 'no kubeconfig' : `kubeconfig ${paths.join(', ')}` };
}

function openFile(path: string, text: string, config: KubeConfig): KubeconfigFile {
  const directory = dirname(resolve(path));
  try {
    const content: unknown = parse(text, { logLevel: 'error' }); // its warnings quote the text
    if (!isObject(content)) throw new Error('it is empty or not a YAML object');
    config.loadFromString(text);
    config.makePathsAbsolute(directory);
    return {
      directory,
      config,
      clusters: settingsByName(content['clusters'], 'cluster'),
      users: settingsByName(content['users'], 'user'),
    };
  } catch (error) {
    throw new UserError(`kubeconfig ${path} is not valid: ${yamlProblem(error)}`);
  }
}

/** Of entries with the same name, the first one counts. */
function settingsByName(entries: unknown, kind: 'cluster' | 'user'): ReadonlyMap<string, JsonObject> {
  const named = objectsOf(entries).map((entry) => [textOf(entry['name']) ?? '', objectOf(entry[kind])] as const);
  return new Map(named.reverse());
}

function findContext({ files, place }: OpenedFiles, overrides: CredentialOverrides): Context {
  const { context: wanted, cluster, server } = overrides;
  const name =
    wanted ?? files.map(({ config }) => textOf(config.currentContext)).find((current) => current !== undefined);
  if (name === undefined) {
    if (cluster !== undefined || server !== undefined) return { name: '', cluster: '', user: '' };
    const choice = choiceOf(files, 'contexts', contextsOf);
    throw new UserError(`${place}: neither current-context nor --context is set; ${choice}`);
  }
  const context = named(files, contextsOf, name)?.entry;
  if (context === undefined) {
    throw new UserError(`${place}: there is no context "${name}"; ${choiceOf(files, 'contexts', contextsOf)}`);
  }
  return context;
}

/** `file`: undefined for what no file contains. */
function findCluster(opened: OpenedFiles, context: Context, overrides: CredentialOverrides) {
  const { cluster: wanted, server: address } = overrides;
  const { files, place } = opened;
  const name = wanted ?? context.cluster;
  const found = named(files, clustersOf, name);
  if (found === undefined && wanted !== undefined) {
    throw new UserError(`${place}: there is no cluster "${wanted}"; ${choiceOf(files, 'clusters', clustersOf)}`);
  }
  if (address === undefined) {
    const { entry, file } = found ?? refersToNothing(opened, context, `cluster "${name}"`);
    return { entry: { ...entry, server: withScheme(entry.server) }, file };
  }
  const server = withScheme(address);
  const entry = { ...(found?.entry ?? { name, skipTLSVerify: false }), server, tlsServerName: '' };
  return { entry, file: found?.file };
}

/**
 * As kubectl, which takes no CA and no user into account here: https://pkg.go.dev/k8s.io/client-go/rest#DefaultServerURL,
 * https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#DirectClientConfig.ClientConfig
 */
function withScheme(server: string): string {
  return server === '' || server.includes('://') ? server : `http://${server}`;
}

/** As {@link findCluster}. */
function findUser(opened: OpenedFiles, context: Context, { user: wanted }: CredentialOverrides) {
  const { files, place } = opened;
  const name = wanted ?? textOf(context.user); // client-node leaves it out when the context names none, against its type
  if (name === undefined) return { entry: { name: '' }, file: undefined };
  const found = named(files, usersOf, name);
  if (found === undefined && wanted !== undefined) {
    throw new UserError(`${place}: there is no user "${wanted}"; ${choiceOf(files, 'users', usersOf)}`);
  }
  return found ?? refersToNothing(opened, context, `user "${name}"`);
}

function refersToNothing({ place }: OpenedFiles, { name }: Context, what: string): never {
  throw new UserError(`${place}: context "${name}" refers to ${what}, which does not exist`);
}

type EntriesOf<T> = (file: KubeconfigFile) => readonly T[];

const contextsOf: EntriesOf<Context> = ({ config }) => config.contexts;
const clustersOf: EntriesOf<Cluster> = ({ config }) => config.clusters;
const usersOf: EntriesOf<User> = ({ config }) => config.users;

function named<T extends { readonly name: string }>(
  files: readonly KubeconfigFile[],
  entriesOf: EntriesOf<T>,
  name: string,
) {
  return files
    .flatMap((file) => entriesOf(file).map((entry) => ({ entry, file })))
    .find(({ entry }) => entry.name === name);
}

function choiceOf(
  files: readonly KubeconfigFile[],
  what: string,
  entriesOf: EntriesOf<{ readonly name: string }>,
): string {
  const names = [...new Set(files.flatMap((file) => entriesOf(file).map(({ name }) => name)))];
  return names.length === 0 ? `it has no ${what}` : `choose one of ${names.join(', ')}`;
}

/** Of two settings, kubectl refuses both, as only one could be followed. */
const exclusive = [
  ['user', 'token', 'username'],
  ['user', 'exec', 'auth-provider'],
  ['user', 'client-certificate', 'client-certificate-data'],
  ['user', 'client-key', 'client-key-data'],
  ['cluster', 'certificate-authority', 'certificate-authority-data'],
] as const;

/**
 * Throws UserError for settings that contradict each other; `what` begins the message.
 * https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#ConfirmUsable
 */
export function checkRules(
  { userSettings, clusterSettings }: Pick<KubeconfigContext, 'userSettings' | 'clusterSettings'>,
  what: string,
): void {
  const settings = { user: userSettings, cluster: clusterSettings };
  const isSet = (owner: keyof typeof settings, name: string): boolean => Boolean(settings[owner][name]);
  const isGiven = (owner: keyof typeof settings, name: string): boolean =>
    isSet(owner, name) || isSet(owner, `${name}-data`);
  if (isGiven('user', 'client-certificate') && !isGiven('user', 'client-key'))
    throw new UserError(
      `${what}: the user has a client-certificate without its client-key; set client-key or client-key-data`,
    );
  const both = exclusive.find(([owner, one, other]) => isSet(owner, one) && isSet(owner, other));
  if (both !== undefined) throw new UserError(`${what}: the ${both[0]} has both ${both[1]} and ${both[2]}; remove one`);
  if (clusterSettings['insecure-skip-tls-verify'] === true && isGiven('cluster', 'certificate-authority'))
    throw new UserError(
      `${what}: the cluster has a certificate-authority and insecure-skip-tls-verify, which disables it; remove one`,
    );
}
