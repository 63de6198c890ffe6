import type { Command } from 'commander';

import { abortable } from '../base/abortable.js';
import { startDeadline } from '../base/clock.js';
import { kubeconfigNames } from '../credentials/kubeconfig-names.js';
import { ApiClient } from '../http/api-client.js';
import { readAtMost } from '../http/response-body.js';
import { objectOf, objectsOf, parseJson, textOf } from '../json/json.js';
import type { CommandContext } from './context.js';
import { commandCredentials } from './load-settings.js';
import { listedTypes, type NameableObjects, type NamePlace } from './name-place.js';
import { credentialFlags } from './setting-flags.js';

/** A person waits for them. */
const timeoutMs = 1000;
const maxCount = 200;
const pageLimit = '500';
const maxPageBytes = 32 * 2 ** 20;

/** Nothing that a terminal obeys, and nothing that `compgen -W` of bash would run. */
const harmless = /^[\p{L}\p{N}@:./_+=,%-]+$/u;

/**
 * Returns words with names that begin like the one of the place: those that have arrived after 1 s. Errors are silent: an
 * unfinished line is not the place for them. `command` has parsed the flags of the line.
 */
export async function nameCandidates(
  place: NamePlace,
  command: Command,
  context: CommandContext,
): Promise<readonly string[]> {
  const { kind, prefix, word } = place;
  const { kubeconfig: kubeconfigPath } = credentialFlags(command);
  const names = new Set<string>();
  const add = (found: readonly string[]): boolean => {
    for (const name of found) if (name.startsWith(word) && harmless.test(name)) names.add(name);
    return names.size < maxCount;
  };
  try {
    if (kind === 'contexts' || kind === 'clusters' || kind === 'users') {
      add(await kubeconfigNames({ ...context, kubeconfigPath }, kind));
    } else {
      await readNames({ ...place, kind, add }, command, context);
    }
  } catch {
    // what has been found until then
  }
  return [...names].slice(0, maxCount).map((name) => `${prefix}${name}`);
}

interface NameSearch extends NamePlace {
  readonly kind: NameableObjects;
  /** Says whether more are wanted. */
  readonly add: (names: readonly string[]) => boolean;
}

/** Of several lists, those that fail or are forbidden are left out. */
async function readNames(search: NameSearch, command: Command, context: CommandContext): Promise<void> {
  const { clock, version, stopSignal } = context;
  const error = (): Error => new Error('nobody waits for longer');
  using deadline = startDeadline({ clock, durationMs: timeoutMs, error, parent: stopSignal });
  const { signal } = deadline;
  const credentials = await abortable(commandCredentials(credentialFlags(command), context), signal);
  using api = new ApiClient({ credentials, clock, version });
  const lists = nameLists(search, command, credentials.namespace ?? 'default');
  await Promise.allSettled(lists.map((list) => readList(list, search.add, { api, signal })));
}

async function readList(
  { path, selectors, nameOf }: NameList,
  add: NameSearch['add'],
  { api, signal }: { readonly api: ApiClient; readonly signal: AbortSignal },
): Promise<void> {
  let query: Record<string, string> = { limit: pageLimit, ...selectors };
  for (;;) {
    const request = { path, query, acceptsGzip: true, dropsManagedFields: true };
    const { bytes } = await readAtMost(await api.open(request, signal), maxPageBytes);
    const { items, metadata } = objectOf(parseJson(bytes.toString()));
    const next = textOf(objectOf(metadata)['continue']);
    if (!add(objectsOf(items).flatMap((item) => nameOf(item) ?? [])) || next === undefined) return;
    query = { ...query, continue: next };
  }
}

interface NameList {
  readonly path: string;
  readonly selectors?: Readonly<Record<string, string>>;
  readonly nameOf: (object: Readonly<Record<string, unknown>>) => string | readonly string[] | undefined;
}

/** Paths without the namespace. */
const namespacedPaths = {
  pods: ['/api/v1', 'pods'],
  evictions: ['/api/v1', 'pods'],
  deployment: ['/apis/apps/v1', 'deployments'],
  statefulset: ['/apis/apps/v1', 'statefulsets'],
  daemonset: ['/apis/apps/v1', 'daemonsets'],
  cronjob: ['/apis/batch/v1', 'cronjobs'],
} as const;

function nameLists(search: NameSearch, command: Command, contextNamespace: string): readonly NameList[] {
  const { kind } = search;
  if (kind === 'namespaces' || kind === 'nodes') return [{ path: `/api/v1/${kind}`, nameOf: plainName }];
  if (kind === 'containers') return [containerList(search, command, contextNamespace)];
  const { place, nameOf } = namespaceOf(search, command, contextNamespace);
  const kinds = kind === 'workloads' ? listedTypes : [kind];
  return kinds.map((one) => {
    const [root, resource] = namespacedPaths[one];
    const path = `${root}${place}/${resource}`;
    return one === 'evictions' ? evictedList(path, nameOf) : { path, selectors: nodeSelector(search), nameOf };
  });
}

/** Objects are named with their namespace where all are meant, or where the word has begun with one. */
function namespaceOf(
  { word, isFull }: NameSearch,
  command: Command,
  contextNamespace: string,
): Pick<NameList, 'nameOf'> & { readonly place: string } {
  const { namespace, allNamespaces } = command.opts<{ readonly namespace?: string; readonly allNamespaces?: true }>();
  const slash = word.indexOf('/');
  if (slash === -1 && (isFull ?? allNamespaces) === true) return { place: '', nameOf: fullName };
  const chosen = slash === -1 ? (namespace ?? contextNamespace) : word.slice(0, slash);
  return { place: `/namespaces/${encodeURIComponent(chosen)}`, nameOf: slash === -1 ? plainName : fullName };
}

/** The pod may be named with its namespace. */
function containerList({ pod = '' }: NameSearch, command: Command, contextNamespace: string): NameList {
  const slash = pod.indexOf('/');
  const { namespace } = command.opts<{ readonly namespace?: string }>();
  const chosen = slash === -1 ? (namespace ?? contextNamespace) : pod.slice(0, slash);
  return {
    path: `/api/v1/namespaces/${encodeURIComponent(chosen)}/pods`,
    selectors: { fieldSelector: `metadata.name=${pod.slice(slash + 1)}` },
    nameOf: ({ spec }) => objectsOf(objectOf(spec)['containers']).flatMap(({ name }) => textOf(name) ?? []),
  };
}

function nodeSelector({ node }: NameSearch): Readonly<Record<string, string>> {
  return node === undefined ? {} : { fieldSelector: `spec.nodeName=${node}` };
}

/** Pods that fail for another reason are Failed too. */
function evictedList(path: string, nameOf: NameList['nameOf']): NameList {
  const isEvicted = (pod: Readonly<Record<string, unknown>>): boolean =>
    objectOf(pod['status'])['reason'] === 'Evicted';
  return {
    path,
    selectors: { fieldSelector: 'status.phase=Failed' },
    nameOf: (pod) => (isEvicted(pod) ? nameOf(pod) : undefined),
  };
}

function plainName({ metadata }: Readonly<Record<string, unknown>>): string | undefined {
  return textOf(objectOf(metadata)['name']);
}

function fullName(object: Readonly<Record<string, unknown>>): string {
  return `${textOf(objectOf(object['metadata'])['namespace']) ?? ''}/${plainName(object) ?? ''}`;
}
