/** Where the cgroups of the pods of a node are: found once, and listed at each scrape. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { resourceParts } from '../facts/node/agent-pod.js';
import { codeOf, UserError } from '../lib/base/errors.js';
import type { ReadFile, ResourceReaders } from './cgroup-files.js';
import { readersV1 } from './cgroup-v1.js';
import { readersV2 } from './cgroup-v2.js';
import { namesIn, textOf } from './host-files.js';

export interface CgroupTree {
  readonly version: 'v1' | 'v2';
  /** The kubelet's `cgroupDriver`. */
  readonly driver: 'systemd' | 'cgroupfs';
  readonly mount: string;
  /** The folder of a controller with the folders of all pods: with v1 each controller has them, with v2 there is one tree. */
  readonly listed: string;
  /** In {@link listed}: `kubepods`, or longer with the kubelet's `cgroupRoot`, as in kind. */
  readonly kubepods: string;
  /** Files that no cgroup of this kernel has. */
  readonly missing: ReadonlySet<string>;
}

/** The first one that is there lists the pods. */
const controllersV1 = ['memory', 'cpu', 'cpuacct', 'pids', 'blkio'];

/** Throws UserError when there are none; the message names what is missing, and the fix. */
export function findCgroups(mount: string): CgroupTree {
  const names = namesOfMount(mount);
  const isV2 = names.includes('cgroup.controllers');
  const controller = isV2 ? '' : controllersV1.find((name) => names.includes(name));
  if (controller === undefined) {
    throw new UserError(`${mount} has no cgroups; mount the host path /sys/fs/cgroup there, ${agentHint}`);
  }
  const listed = join(mount, controller);
  const kubepods = findKubepods(listed);
  if (kubepods === undefined) {
    throw new UserError(
      `${listed} has no cgroup kubepods in the ${maxDepth + 1} levels below it: either it is not the tree of the host, or the kubelet makes no cgroups for pods (cgroupsPerQOS: false)`,
    );
  }
  const version = isV2 ? 'v2' : 'v1';
  const driver = kubepods.endsWith('.slice') ? 'systemd' : 'cgroupfs';
  const tree: CgroupTree = { version, driver, mount, listed, kubepods, missing: new Set() };
  return { ...tree, missing: missingFiles(tree) };
}

const agentHint = 'as the chart with agent.enabled does';

function namesOfMount(mount: string): readonly string[] {
  try {
    return readdirSync(mount);
  } catch (error) {
    const problem = codeOf(error) === 'ENOENT' ? 'is not mounted' : `cannot be read (${codeOf(error)})`;
    throw new UserError(`${mount} ${problem}; mount the host path /sys/fs/cgroup there, ${agentHint}`);
  }
}

/** Below the root, or below the `cgroupRoot` of a kubelet. */
const maxDepth = 3;
const maxFoldersPerLevel = 300;

/** With the systemd driver, a name begins with those of the slices around it: `kubelet-kubepods.slice`. */
const kubepodsForm = /^(?:.+-)?kubepods\.slice$|^kubepods$/;

/** A folder that has pods comes first: one without may be left from another driver. */
function findKubepods(listed: string): string | undefined {
  let level: readonly string[] = [''];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const folders = level.flatMap((folder) => foldersIn(listed, folder));
    const found = folders.filter((folder) => kubepodsForm.test(folder.slice(folder.lastIndexOf('/') + 1)));
    if (found.length > 0) return found.find((kubepods) => podFolders({ listed, kubepods }).size > 0) ?? found[0];
    level = folders.slice(0, maxFoldersPerLevel);
  }
  return undefined;
}

function foldersIn(listed: string, folder: string): readonly string[] {
  try {
    const entries = readdirSync(join(listed, folder), { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** Folders of the QoS classes below the one of all pods; guaranteed pods are in that one itself. */
const qosForm = /(?:^|-)(?:burstable|besteffort)(?:\.slice)?$/;

/** Returns the folders of the pods that run now, in the tree of each controller, by the kubelet's UID of the pod. */
export function podFolders({ listed, kubepods }: Pick<CgroupTree, 'listed' | 'kubepods'>): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  const add = (parent: string): readonly string[] => {
    const names = namesIn(join(listed, parent));
    for (const name of names) {
      const uid = podUid(name);
      if (uid !== undefined) folders.set(uid, join(parent, name));
    }
    return names;
  };
  for (const name of add(kubepods)) if (qosForm.test(name)) add(join(kubepods, name));
  return folders;
}

/** `pod1234-56` with cgroupfs; `kubepods-burstable-pod1234_56.slice` with systemd, where a dash separates slices. */
function podUid(name: string): string | undefined {
  const slice = /-pod([^-]+)\.slice$/.exec(name)?.[1];
  return slice?.replaceAll('_', '-') ?? /^pod(.+)$/.exec(name)?.[1];
}

/**
 * Returns what reads the files of the cgroup in `folder`, one of {@link podFolders}. Paths are put together as texts: to join
 * them would take as long as to read the files.
 */
export function filesOf({ version, mount, missing }: CgroupTree, folder: string): ReadFile {
  return (name) => {
    if (missing.has(name)) return undefined;
    const controller = version === 'v1' ? `/${name.slice(0, name.indexOf('.'))}` : '';
    return textOf(`${mount}${controller}/${folder}/${name}`);
  };
}

export function readersOf({ version }: Pick<CgroupTree, 'version'>): ResourceReaders {
  return version === 'v1' ? readersV1 : readersV2;
}

/** A file that the cgroup of all pods lacks is not looked for in those of pods: failing to read takes longer than reading. */
function missingFiles(tree: CgroupTree): ReadonlySet<string> {
  const missing = new Set<string>();
  const read = filesOf(tree, tree.kubepods);
  const readers = readersOf(tree);
  const noted: ReadFile = (name) => {
    const text = read(name);
    if (text === undefined) missing.add(name);
    return text;
  };
  for (const part of resourceParts) readers[part](noted, { nameOf: (id) => id, below: () => [] });
  return missing;
}
