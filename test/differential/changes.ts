/** What may happen to a cluster: one function for each kind of change. Each does something, or its kind is not counted. */
import {
  type Behaviour,
  type ClusterModel,
  type KubeletPod,
  type ModelKubelet,
  type ModelNode,
  type ModelPod,
  newKubelet,
} from './cluster-model.js';
import { failures } from './model-api.js';
import { ghostOf, type Labels } from './model-objects.js';

/** Numbers from which a change chooses what it changes, and how. */
export interface Dice {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface ChangeContext extends Dice {
  readonly model: ClusterModel;
  readonly nowMs: number;
  readonly monotonicMs: number;
  /** How long a kubelet may list a pod after its deletion. */
  readonly maxGhostMs: number;
  /** Of the pods of the API server. */
  readonly namespaces: readonly string[];
}

/** False: there was nothing to change. */
type Change = (context: ChangeContext) => boolean;

export function pick<T>(items: readonly T[], number: number): T | undefined {
  return items[number % Math.max(1, items.length)];
}

export const allNamespaces = ['shop', 'bank', 'kiosk'];
const apps = ['a', 'b', 'c'];
const tiers = ['x', 'y'];
const zones = ['z1', 'z2'];
const versions = ['v1.29.0', 'v1.30.2', 'v1.33.1', 'v1.36.0', 'v1.37.1'];

/** The API server checks neither name nor kind of an owner. */
const owners = [
  undefined,
  { kind: 'ReplicaSet', name: 'web-5d8f' },
  { kind: 'Job', name: 'report-28000000' },
  { kind: 'StatefulSet', name: 'db' },
  { kind: 'Odd"Kind', name: String.raw`we"b\店` },
] as const;

function labelsOf(number: number): Labels {
  const app = pick(apps, number) ?? '';
  const tier = pick(tiers, number >> 3) ?? '';
  if (number % 5 === 0) return { app, 'pod-template-hash': '5d8f' };
  return { app, tier, 'pod-template-hash': '5d8f' };
}

/** Those that changes choose from: the two that compete for a name stay as they are. */
function podsOf({ model }: ChangeContext): readonly ModelPod[] {
  return model.pods.filter(({ name }) => name !== holderName && name !== contenderName);
}

function activePods(context: ChangeContext): readonly ModelPod[] {
  return podsOf(context).filter(({ phase, nodeName }) => phase === 'Running' && nodeName !== undefined);
}

function kubeletOf({ model, x }: ChangeContext): ModelKubelet | undefined {
  const node = pick(model.nodes, x);
  return node && model.kubelet(node.name);
}

const ages = [0, 30_000, 59_500, 120_000, 3_600_000];

export function newPod(context: ChangeContext, nodeName: string | undefined): ModelPod {
  const { model, nowMs, namespaces, x, y, z } = context;
  const uid = model.newUid();
  const isStatic = z % 11 === 0;
  return {
    namespace: pick(namespaces, y) ?? '',
    name: uid.replace('uid', 'p'),
    uid,
    nodeName,
    labels: labelsOf(x),
    shape: y,
    owner: pick(owners, z),
    ...(isStatic ? { staticUid: `static-${uid}` } : {}),
    phase: nodeName === undefined ? 'Pending' : 'Running',
    startedAtMs: Math.floor((nowMs - (pick(ages, z >> 4) ?? 0)) / 1_000) * 1_000,
    debuggedCount: 0,
  };
}

function addPod(context: ChangeContext, nodeName: string | undefined): boolean {
  const { model, z } = context;
  const pod = newPod(context, nodeName);
  model.setPod(pod);
  if (nodeName !== undefined && z % 4 === 0) model.kubelet(nodeName).unlisted.add(kubeletUid(pod));
  return true;
}

function kubeletUid({ uid, staticUid }: ModelPod): string {
  return staticUid ?? uid;
}

function deletePod(context: ChangeContext, pod: ModelPod): void {
  const { model, nowMs, maxGhostMs, z } = context;
  model.removePod(pod);
  if (pod.nodeName === undefined || z % 2 === 0) return;
  const kubelet = model.kubelet(pod.nodeName);
  const ghost = ghostOf(pod, nowMs + (z % 3 === 0 ? maxGhostMs : 15_000));
  if (!kubelet.unlisted.has(ghost.uid)) kubelet.strangers.push(ghost);
}

function recreate(context: ChangeContext, pod: ModelPod, nodeName: string): void {
  const { model, nowMs, y } = context;
  deletePod(context, pod);
  const startedAtMs = Math.floor((nowMs - (pick(ages, y) ?? 0)) / 1_000) * 1_000;
  // A static pod keeps the UID under which its kubelet reports it.
  model.setPod({ ...pod, uid: model.newUid(), nodeName, phase: 'Running', startedAtMs, shape: y });
}

function changed(model: ClusterModel, pod: ModelPod, change: Partial<ModelPod>): boolean {
  model.setPod({ ...pod, ...change });
  return true;
}

function onPod(
  find: (context: ChangeContext) => readonly ModelPod[],
  change: (pod: ModelPod, of: ChangeContext) => boolean,
): Change {
  return (context) => {
    const pod = pick(find(context), context.x);
    return pod !== undefined && change(pod, context);
  };
}

function onNode(change: (node: ModelNode, of: ChangeContext) => boolean): Change {
  return (context) => {
    const node = pick(context.model.nodes, context.x);
    return node !== undefined && change(node, context);
  };
}

function onKubelet(change: (kubelet: ModelKubelet, of: ChangeContext) => boolean): Change {
  return (context) => {
    const kubelet = kubeletOf(context);
    return kubelet !== undefined && change(kubelet, context);
  };
}

/** Puts one item into the set, or takes it out. */
function toggle(set: Set<string>, item: string): boolean {
  if (!set.delete(item)) set.add(item);
  return true;
}

function onListed(setOf: (kubelet: ModelKubelet) => Set<string>): Change {
  return onPod(activePods, (pod, { model }) =>
    pod.nodeName === undefined ? false : toggle(setOf(model.kubelet(pod.nodeName)), kubeletUid(pod)),
  );
}

const evictionMessages = [
  'Pod ephemeral local storage usage exceeds the total limit of containers 100Mi. ',
  'Usage of EmptyDir volume "cache" exceeds the limit "50Mi". ',
  'Container app exceeded its local ephemeral storage limit "1". ',
  'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. ',
];

const strangeNames = ['lost', String.raw`quo"te\d`, '失踪', 'line\nbreak'];

const maxStrangerCount = 60;

function addStrangers(context: ChangeContext): boolean {
  const { model, nowMs, y, z } = context;
  const kubelet = kubeletOf(context);
  if (kubelet === undefined || kubelet.strangers.length > maxStrangerCount) return false;
  const count = pick([1, 2, 12, 25, 40], y) ?? 1;
  kubelet.strangers.push(
    ...Array.from({ length: count }, (_, index): KubeletPod => ({
      namespace: pick([...allNamespaces, 'out"side'], z + index) ?? '',
      name: `${pick(strangeNames, index) ?? ''}-${index}`,
      uid: `stranger-${model.newUid()}`,
      shape: index,
      startedAtMs: nowMs - 1_000,
      untilMs: Infinity,
    })),
  );
  return true;
}

/** The API server knows a pod at last: on the node that reported it, or on another one. */
function adopt(context: ChangeContext): boolean {
  const { model, namespaces, x, y, z } = context;
  const found = Array.from(model.kubelets, ([nodeName, { strangers }]) => ({
    nodeName,
    pod: strangers.find(
      ({ uid, name, namespace }) =>
        uid.startsWith('stranger') && name.startsWith('lost') && namespaces.includes(namespace),
    ),
  })).filter(({ pod }) => pod !== undefined);
  const { pod, nodeName: reportedOn = '' } = pick(found, x) ?? {};
  if (pod === undefined || model.podNamed(pod.namespace, pod.name) !== undefined) return false;
  const nodeName = z % 2 === 0 ? reportedOn : (pick(model.nodes, y)?.name ?? reportedOn);
  const { namespace, name, uid, shape, startedAtMs } = pod;
  const { staticUid, ...rest } = newPod(context, nodeName);
  const kubelet = model.kubelet(reportedOn);
  kubelet.strangers = kubelet.strangers.filter((other) => other !== pod || staticUid === 'kept');
  model.setPod({ ...rest, namespace, name, uid, shape, startedAtMs });
  if (nodeName !== reportedOn) kubelet.strangers.push(pod);
  return true;
}

const holderName = 'holder';
const contenderName = 'contender';

/**
 * Two pods whose label values form one name. The first one has it as long as it exists: on the same node, in an order that
 * stays, so that it is also the first one for a core that was made again.
 */
function compete(context: ChangeContext): boolean {
  const { model, x } = context;
  const node = pick(model.nodes, x);
  if (node === undefined || model.podNamed('shop', contenderName) !== undefined) return false;
  const base = { ...newPod({ ...context, z: 1 }, node.name), namespace: 'shop', owner: undefined };
  model.setPod({ ...base, uid: model.newUid(), name: holderName, labels: { app: 'p', tier: 'q--r' } });
  model.setPod({ ...base, uid: model.newUid(), name: contenderName, labels: { app: 'p--q', tier: 'r' } });
  return true;
}

function withdraw({ model }: ChangeContext): boolean {
  const holder = model.podNamed('shop', holderName);
  if (holder === undefined) return false;
  model.removePod(holder);
  return true;
}

function fail(behaviours: readonly Behaviour[]): Change {
  return onKubelet((kubelet, { y }) => {
    kubelet.behaviour = pick(behaviours, y) ?? 'responds';
    return true;
  });
}

function replaceNode(node: ModelNode, { model, nowMs, y }: ChangeContext): boolean {
  const { strangers } = model.kubelet(node.name);
  const kubelet = newKubelet(y % 3 === 0 ? undefined : nowMs, y);
  model.kubelets.set(node.name, { ...kubelet, usage: y % 50, strangers });
  model.removeNode(node.name);
  model.setNode({ ...node, uid: model.newUid() });
  return true;
}

const maxNodeCount = 5;
const maxPodCount = 24;

const changeTable = {
  'pod added': (context) =>
    context.model.pods.length < maxPodCount && addPod(context, pick(context.model.nodes, context.x >> 4)?.name),
  'pod unscheduled': (context) => context.model.pods.length < maxPodCount && addPod(context, undefined),
  'pod bound': onPod(
    (context) => podsOf(context).filter(({ nodeName }) => nodeName === undefined),
    (pod, { model, y, nowMs }) => {
      const nodeName = pick(model.nodes, y)?.name;
      const startedAtMs = Math.floor(nowMs / 1_000) * 1_000;
      return nodeName !== undefined && changed(model, pod, { nodeName, phase: 'Running', startedAtMs });
    },
  ),
  'pod deleted': onPod(podsOf, (pod, context) => {
    deletePod(context, pod);
    return true;
  }),
  'pod re-created': onPod(activePods, (pod, context) => {
    recreate(context, pod, pod.nodeName ?? '');
    return true;
  }),
  'pod moved': onPod(activePods, (pod, context) => {
    const others = context.model.nodes.filter(({ name }) => name !== pod.nodeName);
    const nodeName = pick(others, context.y)?.name;
    if (nodeName === undefined) return false;
    recreate(context, pod, nodeName);
    return true;
  }),
  // At the moment of an eviction both may be known as one change, which counts for the new labels.
  'pod relabelled': onPod(podsOf, (pod, { model, y, nowMs }) => {
    const isEvictedNow = pod.evicted !== undefined && nowMs - pod.evicted.atMs < 1_000;
    return !isEvictedNow && changed(model, pod, { labels: labelsOf(y) });
  }),
  'pod ended': onPod(activePods, (pod, { model, y }) =>
    changed(model, pod, { phase: y % 2 === 0 ? 'Succeeded' : 'Failed' }),
  ),
  'pod evicted': onPod(activePods, (pod, { model, y, nowMs }) => {
    const message = pick(evictionMessages, y) ?? '';
    return changed(model, pod, { phase: 'Failed', evicted: { message, atMs: Math.floor(nowMs / 1_000) * 1_000 } });
  }),
  'pod debugged': onPod(activePods, (pod, { model }) => changed(model, pod, { debuggedCount: pod.debuggedCount + 1 })),
  'pod listed or not': onListed(({ unlisted }) => unlisted),
  'total known or not': onListed(({ withoutTotal }) => withoutTotal),
  'volumes measured or not': onListed(({ withoutVolumes }) => withoutVolumes),
  'parts negative or not': onListed(({ withNegativeParts }) => withNegativeParts),
  'names compete': compete,
  'name free again': withdraw,
  'node added': ({ model, y }) => {
    if (model.nodes.length >= maxNodeCount) return false;
    const name = pick(
      ['n0', 'n1', 'n2', 'n3', 'n4'].filter((each) => model.nodes.every((node) => node.name !== each)),
      y,
    );
    model.setNode(newNode(name ?? 'n0', model.newUid(), y));
    return true;
  },
  'node gone': onNode(({ name }, { model }) => {
    if (model.nodes.length < 2) return false; // every cluster has a node
    model.removeNode(name);
    return true;
  }),
  'node replaced': onNode(replaceNode),
  'node relabelled': onNode((node, { model, y }) => {
    const foreign = [{ type: 'virtual-kubelet' }, { 'vcluster.loft.sh/fake-node': 'true' }];
    const labels = pick([...foreign, {}, {}], y) ?? {};
    model.setNode({ ...node, labels: { zone: pick(zones, y >> 2) ?? '', ...labels } });
    return true;
  }),
  'node of another version': onNode((node, { model, y }) => {
    model.setNode({ ...node, version: pick(versions, y) ?? '' });
    return true;
  }),
  'node changed': onNode((node, { model, y }) => {
    model.setNode({ ...node, allocatable: `${80 + (y % 9)}Gi`, enforcesLimits: y % 3 !== 0 });
    return true;
  }),
  'unknown pods': addStrangers,
  'unknown pod known': adopt,
  'unknown pods gone': onKubelet((kubelet, { y }) => {
    if (kubelet.strangers.length === 0) return false;
    kubelet.strangers = kubelet.strangers.slice(0, y % kubelet.strangers.length);
    return true;
  }),
  'usage changed': onKubelet((kubelet) => {
    kubelet.usage += 1;
    return true;
  }),
  'summaries fail': fail([...(Object.keys(failures) as (keyof typeof failures)[]), 'garbage', 'empty', 'other-node']),
  'kubelet hangs': fail(['hangs']),
  'kubelets respond': ({ model }) => {
    const failing = [...model.kubelets.values()].filter(({ behaviour }) => behaviour !== 'responds');
    for (const kubelet of failing) kubelet.behaviour = 'responds';
    return failing.length > 0;
  },
  'kubelet restarted': onKubelet((kubelet, { y, z, nowMs }) => {
    kubelet.startedAtMs = y % 4 === 0 ? undefined : Math.max(nowMs, (kubelet.startedAtMs ?? 0) + 1);
    if (z % 2 === 0) kubelet.layout += 1;
    if (kubelet.startedAtMs !== undefined) kubelet.layoutOfStart = kubelet.layout;
    return true;
  }),
  'disks changed': onKubelet((kubelet, { y }) => {
    kubelet.layout += 1 + (y % 3);
    return true;
  }),
  'statistics frozen or not': onKubelet((kubelet, { nowMs }) => {
    kubelet.frozenAtMs = kubelet.frozenAtMs === undefined ? nowMs : undefined;
    return true;
  }),
  'values negative or not': onKubelet((kubelet) => {
    kubelet.isNegative = !kubelet.isNegative;
    return true;
  }),
  'configuration changed': onKubelet((kubelet) => {
    kubelet.configuration += 1;
    return true;
  }),
  'namespace listed': ({ model, monotonicMs }) => {
    if (model.forbiddenNamespaces.size === 0) return false;
    model.forbiddenNamespaces.clear();
    model.allowedAtMs = monotonicMs;
    return true;
  },
} as const satisfies Readonly<Record<string, Change>>;

export type ChangeKind = keyof typeof changeTable;

export const changeKinds = Object.keys(changeTable) as readonly ChangeKind[];

/** Those that may happen while scrapes run: the nodes of a scrape are those at its begin. */
export const changesWithin: readonly ChangeKind[] = changeKinds.filter(
  (kind) => !kind.startsWith('node') && kind !== 'name free again',
);

export function change(kind: ChangeKind, context: ChangeContext): boolean {
  return changeTable[kind](context);
}

export function newNode(name: string, uid: string, number: number): ModelNode {
  return {
    name,
    uid,
    labels: { zone: pick(zones, number) ?? '' },
    version: pick(versions, number >> 2) ?? '',
    allocatable: '88Gi',
    enforcesLimits: true,
  };
}
