/** Derives the part of the cluster to measure from the settings and from the host of the exporter. */
import { ApiClient, type ApiTransport, readObject } from '../../cluster/http/api-client.js';
import type { Scope } from '../../cluster/kube/scope.js';
import { isDnsName } from '../../cluster/kube/selector-parser.js';
import type { Config } from '../../config/schema.js';
import { RequestError, UserError } from '../../lib/base/errors.js';
import { objectOf, objectsOf, textOf } from '../../lib/json/json.js';

/** The machine or pod that the exporter runs on. */
export interface Host {
  /** The name of the machine; without `hostNetwork`, of the pod. */
  readonly name: string;
  /** `$NODE_NAME`: the name of the node, by the downward API. */
  readonly nodeName: string | undefined;
  /** Where its `/sys/fs/cgroup` is mounted. Default: where the agent looks for it. */
  readonly cgroupFolder?: string;
}

/** An empty `$NODE_NAME` counts as not set. */
export function hostOf(process: {
  readonly hostName: string;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
}): Host {
  const nodeName = process.environment['NODE_NAME'];
  return { name: process.hostName, nodeName: nodeName === '' ? undefined : nodeName };
}

export interface ScopeOptions {
  readonly settings: Pick<Config['cluster'], 'nodeLocal' | 'node' | 'shard' | 'totalShards'>;
  readonly host: Host;
  /** Returns their names. Throws RequestError, or the signal's reason when it aborts. */
  readonly nodes: (labelSelector: string, signal: AbortSignal) => Promise<readonly string[]>;
}

/**
 * A single node comes from the settings, else from `$NODE_NAME`, else from the label `kubernetes.io/hostname`. A shard
 * comes from the settings, else from the ordinal at the end of the host's name. Throws UserError, or the signal's reason.
 */
export async function resolveScope(options: ScopeOptions, signal: AbortSignal): Promise<Scope> {
  const { nodeLocal, node, totalShards } = options.settings;
  if (nodeLocal || node !== undefined) return { shard: 0, totalShards: 1, nodeName: await nodeNameOf(options, signal) };
  return { shard: totalShards === 1 ? 0 : shardNumber(options), totalShards, nodeName: undefined };
}

const nodeHint = 'set --node of serve, or set NODE_NAME from the field spec.nodeName by the downward API';

/** The message for a single node that does not exist. */
export function noSuchNode(nodeName: string): string {
  return `the cluster has no node "${nodeName}"; ${nodeHint}`;
}

async function nodeNameOf({ settings, host, nodes }: ScopeOptions, signal: AbortSignal): Promise<string> {
  if (settings.node !== undefined) return settings.node;
  if (host.nodeName === undefined) return nodeOfHost(host.name, nodes, signal);
  if (isDnsName(host.nodeName)) return host.nodeName;
  throw new UserError(
    `NODE_NAME is ${JSON.stringify(host.nodeName)}, which is not the name of a node; set it from the field spec.nodeName by the downward API`,
  );
}

const hostNameLabel = 'kubernetes.io/hostname';

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set */
const labelValueForm = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

async function nodeOfHost(hostName: string, nodes: ScopeOptions['nodes'], signal: AbortSignal): Promise<string> {
  const value = hostName.trim().toLowerCase(); // as kubelets set the label
  const label = `${hostNameLabel}=${value}`;
  const names = labelValueForm.test(value) ? await findNodes(label, nodes, signal) : [];
  const [name] = names;
  if (name === undefined) {
    throw new UserError(
      `no node has the label ${label}, the name of this host (in a pod, the pod's name); ${nodeHint}`,
    );
  }
  if (names.length > 1) {
    throw new UserError(
      `${names.length} nodes have the label ${label}, the name of this host: ${names.join(', ')}; ${nodeHint}`,
    );
  }
  return name;
}

async function findNodes(label: string, nodes: ScopeOptions['nodes'], signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await nodes(label, signal);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    throw new UserError(
      `the node with the label ${label} could not be looked up: ${error.message}; alternatively, ${nodeHint}`,
      { isTemporary: true },
    );
  }
}

function shardNumber({ settings: { shard, totalShards }, host }: ScopeOptions): number {
  if (shard !== undefined) return shard;
  const [hostLabel = ''] = host.name.split('.');
  const ordinal = /-(?<digits>0|[1-9]\d*)$/.exec(hostLabel)?.groups?.['digits'];
  const found = `the name of this host, ${JSON.stringify(host.name)},`;
  const hint = 'set the shard with --shard';
  if (ordinal === undefined) {
    throw new UserError(
      `${found} does not end in a shard's number, as names of StatefulSet pods do; ${hint}, from 0 to ${totalShards - 1}`,
    );
  }
  if (Number(ordinal) >= totalShards) {
    throw new UserError(
      `${found} ends in ${ordinal}, but there are only shards from 0 to ${totalShards - 1}; raise --total-shards to the number of replicas, or ${hint}`,
    );
  }
  return Number(ordinal);
}

/** As {@link resolveScope}, with the nodes of the API server. */
export function scopeOf(
  options: ConstructorParameters<typeof ApiClient>[0] & { readonly config: Config; readonly host: Host },
  signal: AbortSignal,
): Promise<Scope> {
  const nodes = apiNodes(() => new ApiClient(options));
  return resolveScope({ settings: options.config.cluster, host: options.host, nodes }, signal);
}

/** The nodes of the API server, from a client of their own. */
export function apiNodes(createApi: () => ApiTransport & Disposable): ScopeOptions['nodes'] {
  return async (labelSelector, signal) => {
    using api = createApi();
    const request = { path: '/api/v1/nodes', query: { labelSelector, resourceVersion: '0' } };
    const { items } = await readObject(api, request, signal);
    return objectsOf(items).flatMap(({ metadata }) => textOf(objectOf(metadata)['name']) ?? []);
  };
}
