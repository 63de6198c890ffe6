import type { Command } from 'commander';

import { abortable } from '../base/abortable.js';
import { startDeadline } from '../base/clock.js';
import { type KubeconfigEntries, kubeconfigNames } from '../credentials/kubeconfig-names.js';
import { ApiClient } from '../http/api-client.js';
import { readAtMost } from '../http/response-body.js';
import { objectOf, objectsOf, parseJson, textOf } from '../json/json.js';
import type { LinePosition } from './command-model.js';
import type { CommandContext } from './context.js';
import { commandCredentials } from './load-settings.js';
import { parseTopResource } from './resources.js';
import { credentialFlags } from './setting-flags.js';

/** A person waits for them. */
const timeoutMs = 1000;
const maxCount = 200;
const pageLimit = '500';
const maxPageBytes = 32 * 2 ** 20;

/** Nothing that a terminal obeys, and nothing that `compgen -W` of bash would run. */
const harmless = /^[\p{L}\p{N}@:./_+=,%-]+$/u;

type ApiNames = 'namespaces' | 'pods' | 'nodes';
type NameKind = ApiNames | KubeconfigEntries;

const flagKinds: Readonly<Record<string, NameKind>> = {
  '-n': 'namespaces',
  '--namespace': 'namespaces',
  '--node': 'nodes',
  '--context': 'contexts',
  '--cluster': 'clusters',
  '--user': 'users',
};

/** Returns what the last word may name, where it is a name of the cluster or of the kubeconfig; undefined elsewhere. */
export function nameKind({ flag, operands }: LinePosition, program: Command): NameKind | undefined {
  if (flag !== undefined) return flagKinds[flag];
  const [name, resource = ''] = operands;
  const command = program.commands.find((candidate) => candidate.name() === name);
  const isName = operands.length === 2 && command?.registeredArguments[1] !== undefined;
  return isName ? operandKind(resource) : undefined;
}

function operandKind(resource: string): ApiNames | undefined {
  try {
    const parsed = parseTopResource(resource);
    if (parsed === 'nodes') return 'nodes';
    return parsed === 'pods' ? 'pods' : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns names that begin like `word`: those that have arrived after 1 s. Errors are silent: an unfinished line is not the
 * place for them. `command` has parsed the flags of the line.
 */
export async function nameCandidates(
  kind: NameKind,
  word: string,
  command: Command,
  context: CommandContext,
): Promise<readonly string[]> {
  const { kubeconfig: kubeconfigPath } = credentialFlags(command);
  const names: string[] = [];
  const add = (found: readonly string[]): boolean => {
    names.push(...found.filter((name) => name.startsWith(word) && harmless.test(name)));
    return names.length < maxCount;
  };
  try {
    if (kind === 'contexts' || kind === 'clusters' || kind === 'users') {
      add(await kubeconfigNames({ ...context, kubeconfigPath }, kind));
    } else {
      await readNames({ kind, word, add }, command, context);
    }
  } catch {
    // what has been found until then
  }
  return names.slice(0, maxCount);
}

interface NameSearch {
  readonly kind: ApiNames;
  readonly word: string;
  /** Says whether more are wanted. */
  readonly add: (names: readonly string[]) => boolean;
}

async function readNames(search: NameSearch, command: Command, context: CommandContext): Promise<void> {
  const { clock, version, stopSignal } = context;
  const error = (): Error => new Error('nobody waits for longer');
  using deadline = startDeadline({ clock, durationMs: timeoutMs, error, parent: stopSignal });
  const credentials = await abortable(commandCredentials(credentialFlags(command), context), deadline.signal);
  using api = new ApiClient({ credentials, clock, version });
  const { path, nameOf } = collectionFor(search, command, credentials.namespace ?? 'default');
  let query: Record<string, string> = { limit: pageLimit };
  for (;;) {
    const request = { path, query, acceptsGzip: true, dropsManagedFields: true };
    const { bytes } = await readAtMost(await api.open(request, deadline.signal), maxPageBytes);
    const { items, metadata } = objectOf(parseJson(bytes.toString()));
    const found = objectsOf(items).flatMap((item) => nameOf(objectOf(item['metadata'])) ?? []);
    const next = textOf(objectOf(metadata)['continue']);
    if (!search.add(found) || next === undefined) return;
    query = { limit: pageLimit, continue: next };
  }
}

type NameOf = (metadata: Readonly<Record<string, unknown>>) => string | undefined;

const plainName: NameOf = ({ name }) => textOf(name);
const fullName: NameOf = ({ namespace, name }) => `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;

/** Pods are named with their namespace where all are meant, or where the word has begun with one. */
function collectionFor(
  { kind, word }: NameSearch,
  command: Command,
  contextNamespace: string,
): { readonly path: string; readonly nameOf: NameOf } {
  if (kind !== 'pods') return { path: `/api/v1/${kind}`, nameOf: plainName };
  const { namespace, allNamespaces } = command.opts<{ readonly namespace?: string; readonly allNamespaces?: true }>();
  const slash = word.indexOf('/');
  if (allNamespaces === true && slash === -1) return { path: '/api/v1/pods', nameOf: fullName };
  const wanted = slash === -1 ? namespace : word.slice(0, slash);
  const path = `/api/v1/namespaces/${encodeURIComponent(wanted ?? contextNamespace)}/pods`;
  return { path, nameOf: slash === -1 ? plainName : fullName };
}
