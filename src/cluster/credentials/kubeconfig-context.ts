import { dirname, resolve } from 'node:path';

import { parseDocument } from 'yaml';

import { UserError } from '../../lib/base/errors.js';
import { yamlProblem } from '../../lib/base/yaml-problem.js';
import { isObject, type JsonObject, objectOf, objectsOf, textOf } from '../../lib/json/json.js';
import { readTextFile } from './credential-files.js';

/** A context of a kubeconfig, with its cluster and its user, as written but for paths, which are absolute. */
export interface KubeconfigContext {
  readonly name: string;
  /** Undefined when the context names none; kubectl then uses `default`. */
  readonly namespace: string | undefined;
  /** With a scheme; '' where there is none. */
  readonly server: string;
  readonly cluster: JsonObject;
  readonly user: KubeconfigEntry;
  /** The user's settings; none over plain HTTP that is assumed, or set by a flag: kubectl sends no credentials there. */
  readonly credentials: JsonObject;
}

/** A context, a cluster or a user. */
interface KubeconfigEntry {
  readonly name: string;
  readonly settings: JsonObject;
  /** Of the file that contains it. */
  readonly directory: string;
}

const kinds = ['context', 'cluster', 'user'] as const;
type EntryKind = (typeof kinds)[number];

/** What all files together have, by name; of entries with the same name, the first one counts. */
interface Kubeconfig extends Readonly<Record<EntryKind, Map<string, KubeconfigEntry>>> {
  currentContext: string | undefined;
  /** Names the files in messages. */
  readonly place: string;
}

/**
 * Replaces parts of the context, as flags of kubectl do. `server` leaves the cluster's other settings as they are, but for the
 * name in the server's certificate.
 * https://kubernetes.io/docs/reference/kubectl/generated/kubectl_options/
 */
export interface ContextOverrides {
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly server?: string | undefined;
}

/** What no file contains. */
const nothing: KubeconfigEntry = { name: '', settings: {}, directory: '.' };

/**
 * The context of that name, else the current one. When several files define the same name, the first one wins. Without a
 * file, `server` must be set. Throws UserError.
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files
 */
export async function openContext(paths: readonly string[], overrides: ContextOverrides): Promise<KubeconfigContext> {
  const config = await openFiles(paths);
  const context = findContext(config, overrides);
  const { settings: cluster } = findPart(config, 'cluster', context, overrides);
  const user = findPart(config, 'user', context, overrides);
  const address = overrides.server ?? textOf(cluster['server']) ?? '';
  const server = withScheme(address);
  const hasScheme = overrides.server === undefined && address.includes('://');
  return {
    name: context.name,
    namespace: textOf(context.settings['namespace']),
    server,
    cluster: overrides.server === undefined ? cluster : { ...cluster, 'tls-server-name': '' },
    user,
    credentials: !hasScheme && /^http:/i.test(server) ? {} : user.settings,
  };
}

async function openFiles(paths: readonly string[]): Promise<Kubeconfig> {
  const config: Kubeconfig = {
    ...{ context: new Map(), cluster: new Map(), user: new Map() },
    currentContext: undefined,
    place: paths.length === 0 ? 'no kubeconfig' : `kubeconfig ${paths.join(', ')}`,
  };
  for (const path of paths) addFile(config, path, await readTextFile(path, 'kubeconfig'));
  return config;
}

function addFile(config: Kubeconfig, path: string, text: string): void {
  try {
    const document = parseDocument(text, { merge: true, prettyErrors: true });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    const content: unknown = document.toJS();
    if (!isObject(content)) throw new Error('it is empty or not a YAML object');
    config.currentContext ??= textOf(content['current-context']);
    for (const kind of kinds) addEntries(config[kind], kind, content[`${kind}s`], dirname(resolve(path)));
  } catch (error) {
    throw new UserError(`kubeconfig ${path} is not valid: ${yamlProblem(error)}`);
  }
}

function addEntries(known: Map<string, KubeconfigEntry>, kind: EntryKind, entries: unknown, directory: string): void {
  for (const entry of objectsOf(entries)) {
    const name = textOf(entry['name']);
    if (name === undefined || known.has(name)) continue;
    known.set(name, { name, settings: withAbsolutePaths(objectOf(entry[kind]), directory), directory });
  }
}

const pathSettings = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

function withAbsolutePaths(settings: JsonObject, directory: string): JsonObject {
  const paths = pathSettings.flatMap((name): [string, string][] => {
    const path = textOf(settings[name]);
    return path === undefined ? [] : [[name, resolve(directory, path)]];
  });
  return { ...settings, ...Object.fromEntries(paths) };
}

function findContext(config: Kubeconfig, { context: wanted, cluster, server }: ContextOverrides): KubeconfigEntry {
  const { place, currentContext } = config;
  const name = wanted ?? currentContext;
  if (name === undefined && (cluster !== undefined || server !== undefined)) return nothing;
  const choice = choiceOf(config, 'context');
  if (name === undefined) throw new UserError(`${place}: neither current-context nor --context is set; ${choice}`);
  const context = config.context.get(name);
  if (context === undefined) throw new UserError(`${place}: there is no context "${name}"; ${choice}`);
  return context;
}

/** Finds the cluster or the user. A context may name no user, and no cluster that exists where the server is set. */
function findPart(
  config: Kubeconfig,
  kind: 'cluster' | 'user',
  context: KubeconfigEntry,
  { [kind]: wanted, server }: ContextOverrides,
): KubeconfigEntry {
  const { place } = config;
  const name = wanted ?? textOf(context.settings[kind]);
  const found = config[kind].get(name ?? '');
  if (found !== undefined) return found;
  if (wanted !== undefined) throw new UserError(`${place}: there is no ${kind} "${wanted}"; ${choiceOf(config, kind)}`);
  const isOptional = kind === 'user' ? name === undefined : server !== undefined;
  if (isOptional) return nothing;
  throw new UserError(`${place}: context "${context.name}" refers to ${kind} "${name ?? ''}", which does not exist`);
}

/**
 * As kubectl, which takes no CA and no user into account here: https://pkg.go.dev/k8s.io/client-go/rest#DefaultServerURL,
 * https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#DirectClientConfig.ClientConfig
 */
function withScheme(server: string): string {
  return server === '' || server.includes('://') ? server : `http://${server}`;
}

function choiceOf(config: Kubeconfig, kind: EntryKind): string {
  const names = [...config[kind].keys()];
  return names.length === 0 ? `it has no ${kind}s` : `choose one of ${names.join(', ')}`;
}

/** What kubectl refuses, as only one of two settings could be followed. */
const exclusive = {
  credentials: [
    ['token', 'username'],
    ['exec', 'auth-provider'],
    ['client-certificate', 'client-certificate-data'],
    ['client-key', 'client-key-data'],
  ],
  cluster: [['certificate-authority', 'certificate-authority-data']],
} as const;

/**
 * Throws UserError for settings that contradict each other; `what` begins the message.
 * https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#ConfirmUsable
 */
export function checkRules(context: Pick<KubeconfigContext, 'credentials' | 'cluster'>, what: string): void {
  const { credentials, cluster } = context;
  const noText = ['token', 'username', 'password'].find((name) => typeof (credentials[name] ?? '') !== 'string');
  if (noText !== undefined)
    throw new UserError(`${what}: the user's ${noText} is not a text; put it in quotation marks`);
  const isSet = (settings: JsonObject, name: string): boolean => Boolean(settings[name] ?? settings[`${name}-data`]);
  if (isSet(credentials, 'client-certificate') && !isSet(credentials, 'client-key')) {
    const problem = 'the user has a client-certificate without its client-key; set client-key or client-key-data';
    throw new UserError(`${what}: ${problem}`);
  }
  for (const of of ['credentials', 'cluster'] as const) {
    const both = exclusive[of].find((names) => names.every((name) => Boolean(context[of][name])));
    const owner = of === 'cluster' ? 'cluster' : 'user';
    if (both !== undefined) throw new UserError(`${what}: the ${owner} has both ${both.join(' and ')}; remove one`);
  }
  if (cluster['insecure-skip-tls-verify'] === true && isSet(cluster, 'certificate-authority')) {
    const problem = 'a certificate-authority and insecure-skip-tls-verify, which disables it; remove one';
    throw new UserError(`${what}: the cluster has ${problem}`);
  }
}
