/**
 * Trees of cgroups in the formats that the kernel documents (https://docs.kernel.org/admin-guide/cgroup-v2.html,
 * https://docs.kernel.org/admin-guide/cgroup-v1/). They are made, not recorded; `test/agent/recorded-cgroups.test.ts` reads a
 * recorded one.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export type CgroupFiles = Readonly<Record<string, string>>;

const pressureOf = (someUs: number, fullUs: number): string =>
  [
    `some avg10=0.12 avg60=0.05 avg300=0.01 total=${someUs}`,
    `full avg10=0.00 avg60=0.00 avg300=0.00 total=${fullUs}`,
    '',
  ].join('\n');

export const filesV2: CgroupFiles = {
  'cpu.stat': [
    'usage_usec 5000000',
    'user_usec 3000000',
    'system_usec 2000000',
    'nice_usec 0',
    'core_sched.force_idle_usec 0',
    'nr_periods 40',
    'nr_throttled 4',
    'throttled_usec 250000',
    'nr_bursts 0',
    'burst_usec 0',
    '',
  ].join('\n'),
  'memory.current': '104857600\n',
  'memory.peak': '125829120\n',
  'memory.high': 'max\n',
  'memory.max': '268435456\n',
  'memory.stat': [
    'anon 41943040',
    'file 52428800',
    'kernel 1048576',
    'kernel_stack 65536',
    'shmem 0',
    'inactive_anon 41943040',
    'active_anon 0',
    'inactive_file 31457280',
    'active_file 20971520',
    'pgfault 123456',
    'pgmajfault 78',
    '',
  ].join('\n'),
  'io.stat': [
    '259:0 rbytes=4096 wbytes=1048576 rios=1 wios=16 dbytes=512 dios=1',
    '7:0 rbytes=8192 wbytes=0 rios=2 wios=0 dbytes=0 dios=0',
    '',
  ].join('\n'),
  'pids.current': '7\n',
  'pids.peak': '12\n',
  'pids.max': '1024\n',
  'cpu.pressure': pressureOf(1_500_000, 0),
  'memory.pressure': pressureOf(20_000, 10_000),
  'io.pressure': pressureOf(3_000_000, 2_000_000),
};

export const filesV1: CgroupFiles = {
  'cpu.stat': 'nr_periods 40\nnr_throttled 4\nthrottled_time 250000000\nnr_bursts 0\nburst_time 0\n',
  'cpuacct.stat': 'user 300\nsystem 200\n',
  'memory.usage_in_bytes': '104857600\n',
  'memory.max_usage_in_bytes': '125829120\n',
  'memory.limit_in_bytes': '268435456\n',
  'memory.stat': [
    'cache 0',
    'rss 0',
    'inactive_file 0',
    'hierarchical_memory_limit 268435456',
    'total_cache 52428800',
    'total_rss 41943040',
    'total_pgfault 123456',
    'total_pgmajfault 78',
    'total_inactive_file 31457280',
    '',
  ].join('\n'),
  'blkio.throttle.io_service_bytes_recursive': [
    '259:0 Read 4096',
    '259:0 Write 1048576',
    '259:0 Sync 4096',
    '259:0 Async 1048576',
    '259:0 Discard 512',
    '259:0 Total 1053184',
    'Total 1053184',
    '',
  ].join('\n'),
  'blkio.throttle.io_serviced_recursive': ['259:0 Read 1', '259:0 Write 16', '259:0 Total 17', 'Total 17', ''].join(
    '\n',
  ),
  'pids.current': '7\n',
  'pids.peak': '12\n',
  'pids.max': '1024\n',
};

export interface MadeTree {
  readonly version: 'v1' | 'v2';
  readonly driver: 'systemd' | 'cgroupfs';
  /** The kubelet's `cgroupRoot`, such as `kubelet`. Default: none. */
  readonly prefix?: string;
}

export interface MadePod {
  /** The kubelet's. */
  readonly uid: string;
  readonly qos: 'guaranteed' | 'burstable' | 'besteffort';
  /** Default: those of the version. */
  readonly files?: CgroupFiles;
}

/** The folder of a pod, or of all pods, in the tree of each controller. */
export function cgroupFolder({ driver, prefix }: MadeTree, pod?: MadePod): string {
  const classes = pod === undefined || pod.qos === 'guaranteed' ? [] : [pod.qos];
  const slices = [...(prefix === undefined ? [] : [prefix]), 'kubepods', ...classes];
  if (driver === 'cgroupfs') return path.join(...slices, ...(pod === undefined ? [] : [`pod${pod.uid}`]));
  const names = pod === undefined ? slices : [...slices, `pod${pod.uid.replaceAll('-', '_')}`];
  return path.join(...names.map((_, index) => `${names.slice(0, index + 1).join('-')}.slice`));
}

/** Writes the tree of a node with these pods below `hostRoot`, which is a folder for the root of the host. */
export function writeCgroups(hostRoot: string, tree: MadeTree, pods: readonly MadePod[]): void {
  const mount = path.join(hostRoot, 'sys/fs/cgroup');
  mkdirSync(mount, { recursive: true });
  const usual = tree.version === 'v2' ? filesV2 : filesV1;
  if (tree.version === 'v2') writeFileSync(path.join(mount, 'cgroup.controllers'), 'cpuset cpu io memory pids\n');
  const write = (folder: string, files: CgroupFiles): void => {
    for (const [name, text] of Object.entries(files)) {
      const controller = tree.version === 'v2' ? '' : (name.split('.')[0] ?? '');
      mkdirSync(path.join(mount, controller, folder), { recursive: true });
      writeFileSync(path.join(mount, controller, folder, name), text);
    }
  };
  write(cgroupFolder(tree), usual);
  for (const pod of pods) write(cgroupFolder(tree, pod), pod.files ?? usual);
}

/** Writes the folder of sysfs with block devices by number. `below`: the partitions or disks that a device writes to. */
export function writeBlockDevices(
  sysRoot: string,
  devices: readonly { readonly id: string; readonly path: string; readonly below?: readonly string[] }[],
): string {
  const folder = path.join(sysRoot, 'dev/block');
  mkdirSync(folder, { recursive: true });
  for (const { id, path: device, below = [] } of devices) {
    const target = path.join(sysRoot, 'devices', device);
    mkdirSync(path.join(target, 'slaves'), { recursive: true });
    writeFileSync(path.join(target, 'dev'), `${id}\n`);
    symlinkSync(target, path.join(folder, id));
    for (const other of below) {
      symlinkSync(path.join(sysRoot, 'devices', other), path.join(target, 'slaves', path.basename(other)));
    }
  }
  return folder;
}
