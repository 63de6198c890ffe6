import type { FileSystem, FileSystems } from './file-systems.js';
import { quantity } from './object-format.js';
import type { NodeSpec } from './specs.js';

/** Default of a kubelet on Linux whose configuration file has no `evictionHard`. */
const defaultEvictionHard: Readonly<Record<string, string>> = {
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
};

export function evictionHardOf({ evictionHard = defaultEvictionHard }: NodeSpec): Readonly<Record<string, string>> {
  return evictionHard;
}

/** In the order in which the simulated kubelets look; a real one has no order. */
const signals = [
  { name: 'nodefs.available', fileSystem: 'node', resource: 'ephemeral-storage' },
  { name: 'imagefs.available', fileSystem: 'image', resource: 'ephemeral-storage' },
  { name: 'nodefs.inodesFree', fileSystem: 'node', resource: 'inodes' },
  { name: 'imagefs.inodesFree', fileSystem: 'image', resource: 'inodes' },
] as const;

export interface CrossedThreshold {
  readonly fileSystem: (typeof signals)[number]['fileSystem'];
  readonly resource: (typeof signals)[number]['resource'];
  /** As in messages. */
  readonly threshold: string;
  readonly available: string;
}

/** The first threshold below which a filesystem of the node is, in bytes or inodes; undefined if there is none. */
export function crossedThreshold(spec: NodeSpec, systems: FileSystems): CrossedThreshold | undefined {
  const evictionHard = evictionHardOf(spec);
  for (const { name, fileSystem, resource } of signals) {
    const { available, capacity } = amounts(systems[fileSystem], resource);
    const threshold = parseThreshold(evictionHard[name], capacity);
    if (threshold !== undefined && available < threshold.amount) {
      return { fileSystem, resource, threshold: threshold.text, available: quantity(available) };
    }
  }
  return undefined;
}

function amounts(
  system: FileSystem,
  resource: CrossedThreshold['resource'],
): { readonly available: number; readonly capacity: number } {
  return resource === 'inodes'
    ? { available: system.inodeCount - system.usedInodeCount, capacity: system.inodeCount }
    : { available: system.availableBytes, capacity: system.capacityBytes };
}

const unitSizes: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** `0%` and `100%`, written so, switch a threshold off. Percentages have single precision. */
function parseThreshold(
  text: string | undefined,
  capacity: number,
): { readonly amount: number; readonly text: string } | undefined {
  if (text === undefined || text === '0%' || text === '100%') return undefined;
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)(%|\D*)$/.exec(text) ?? [];
  if (unit === '%') {
    const amount = Math.trunc(capacity * Math.fround(Math.fround(Number(number)) / 100));
    return { amount, text: quantity(amount) };
  }
  const size = unitSizes[unit];
  if (number === '' || size === undefined)
    throw new Error(`eviction threshold "${text}" is not a percentage or a quantity`);
  return { amount: Number(number) * size, text };
}
