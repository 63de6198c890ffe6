import { dirname, resolve } from 'node:path';

import type { Cluster, User } from '@kubernetes/client-node';
import { parseDocument } from 'yaml';

import { messageOf, UserError } from '../../lib/base/errors.js';
import { oneLine } from '../../lib/base/text.js';
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
  /** Without credentials over plain HTTP that is assumed, or set by a flag: kubectl sends none there. */
  readonly user: User;
  /** As written, with the settings that client-node does not know. */
  readonly clusterSettings: JsonObject;
  readonly userSettings: JsonObject;
  /** Of the user, which client-node does not know. */
  readonly tokenFile: string | undefined;
}

const kinds = ['context', 'cluster', 'user'] as const;
type EntryKind = (typeof kinds)[number];

interface MergedFiles {
  /** Names them in messages. */
  readonly place: string;
  readonly currentContext: string | undefined;
  /** As written, by name. */
  readonly entries: Readonly<Record<EntryKind, Map<string, JsonObject>>>;
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
  const files = await mergeFiles(paths);
  const { name, context } = findContext(files, overrides);
  const partOf = (kind: 'cluster' | 'user', isOptional: boolean): JsonObject => {
    const wanted = overrides[kind];
    if (wanted !== undefined) return entryOf(files, kind, wanted);
    const referred = textOf(context[kind]);
    const found = referred === undefined ? {} : files.entries[kind].get(referred);
    if (found !== undefined || isOptional) return found ?? {};
    throw new UserError(`${files.place}: context "${name}" refers to ${kind} "${referred}", which does not exist`);
  };
  const written = partOf('cluster', overrides.server !== undefined);
  const userSettings = partOf('user', false);
  const address = overrides.server ?? textOf(written['server']) ?? '';
  const server = withScheme(address);
  const clusterSettings =
    overrides.server === undefined ? { ...written, server } : { ...written, server, 'tls-server-name': '' };
  const isUrl = overrides.server === undefined && address.includes('://');
  const isAnonymous = !isUrl && /^http:/i.test(server);
  return {
    name,
    namespace: textOf(context['namespace']),
    ...(await understood(files, clusterSettings, isAnonymous ? {} : userSettings)),
    clusterSettings,
    userSettings,
    tokenFile: isAnonymous ? undefined : textOf(userSettings['tokenFile']),
  };
}

/** Of no name where a flag stands in for it. */
function findContext(files: MergedFiles, { context, cluster, server }: CredentialOverrides) {
  const name = context ?? files.currentContext;
  if (name !== undefined) return { name, context: entryOf(files, 'context', name) };
  if (cluster !== undefined || server !== undefined) return { name: '', context: {} as JsonObject };
  const choice = choiceOf(files, 'context');
  throw new UserError(`${files.place}: neither current-context nor --context is set; ${choice}`);
}

/** What client-node makes of a cluster and a user. */
async function understood({ place }: MergedFiles, cluster: JsonObject, user: JsonObject) {
  const { KubeConfig } = await import('./kube-config.js');
  const config = new KubeConfig();
  try {
    config.loadFromString(JSON.stringify({ clusters: [{ name: 'it', cluster }], users: [{ name: 'it', user }] }));
  } catch (error) {
    throw new UserError(`${place} is not valid: ${oneLine(messageOf(error))}`);
  }
  const [[foundCluster], [foundUser]] = [config.clusters, config.users];
  if (foundCluster === undefined || foundUser === undefined) throw new Error('client-node returns what it was given');
  return { cluster: foundCluster, user: foundUser };
}

async function mergeFiles(paths: readonly string[]): Promise<MergedFiles> {
  const place = paths.length === 0 ? 'no kubeconfig' : `kubeconfig ${paths.join(', ')}`;
  const entries: MergedFiles['entries'] = { context: new Map(), cluster: new Map(), user: new Map() };
  let currentContext: string | undefined;
  for (const path of paths) {
    const content = contentOf(path, await readTextFile(path, 'kubeconfig'));
    currentContext ??= textOf(content['current-context']);
    for (const kind of kinds) addEntries(entries[kind], kind, content, dirname(resolve(path)));
  }
  return { place, currentContext, entries };
}

/** Relative paths are those of the file. */
function addEntries(entries: Map<string, JsonObject>, kind: EntryKind, content: JsonObject, directory: string): void {
  for (const entry of objectsOf(content[`${kind}s`])) {
    const name = textOf(entry['name']) ?? '';
    if (!entries.has(name)) entries.set(name, withAbsolutePaths(objectOf(entry[kind]), directory));
  }
}

function contentOf(path: string, text: string): JsonObject {
  try {
    const document = parseDocument(text, { merge: true });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    const content: unknown = document.toJS();
    if (isObject(content)) return content;
    throw new Error('it is empty or not a YAML object');
  } catch (error) {
    throw new UserError(`kubeconfig ${path} is not valid: ${yamlProblem(error)}`);
  }
}

/** Of clusters and users. */
const pathSettings = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

function withAbsolutePaths(settings: JsonObject, directory: string): JsonObject {
  const paths = pathSettings.flatMap((name) => {
    const path = textOf(settings[name]);
    return path === undefined ? [] : [[name, resolve(directory, path)] as const];
  });
  const { exec } = settings;
  const command = textOf(objectOf(exec)['command']) ?? '';
  const isPath = /[\\/]/.test(command); // others are looked up in $PATH
  return {
    ...settings,
    ...Object.fromEntries(paths),
    ...(isPath ? { exec: { ...objectOf(exec), command: resolve(directory, command) } } : {}),
  };
}

/**
 * As kubectl, which takes no CA and no user into account here: https://pkg.go.dev/k8s.io/client-go/rest#DefaultServerURL,
 * https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#DirectClientConfig.ClientConfig
 */
function withScheme(server: string): string {
  return server === '' || server.includes('://') ? server : `http://${server}`;
}

function entryOf(files: MergedFiles, kind: EntryKind, name: string): JsonObject {
  const found = files.entries[kind].get(name);
  if (found !== undefined) return found;
  throw new UserError(`${files.place}: there is no ${kind} "${name}"; ${choiceOf(files, kind)}`);
}

function choiceOf({ entries }: MergedFiles, kind: EntryKind): string {
  const names = [...entries[kind].keys()];
  return names.length === 0 ? `it has no ${kind}s` : `choose one of ${names.join(', ')}`;
}
