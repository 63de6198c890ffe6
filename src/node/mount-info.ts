/** What is mounted on a node, as the kernel has it in `/proc/PID/mountinfo`. */
import path from 'node:path';

/** An overlay of layers, or a layer that is mounted as it is. Paths are those of the host. */
export interface LayerMount {
  /** Undefined for a mount that is not the root filesystem of a container of Kubernetes. */
  readonly containerId: string | undefined;
  /** The writable layer; undefined for a mount without one. */
  readonly upperDirectory: string | undefined;
  /** The topmost first. */
  readonly lowerDirectories: readonly string[];
}

interface MountLine {
  /** The directory of the filesystem that is mounted. */
  readonly root: string;
  readonly mountPoint: string;
  readonly filesystemType: string;
  readonly superOptions: string;
}

const containerRoot = /\/io\.containerd\.runtime\.v2\.task\/k8s\.io\/(?<id>[0-9a-f]{64})\/rootfs$/;
const snapshotRoot = /\/io\.containerd\.snapshotter\.v1\.overlayfs\/snapshots\/(?<id>\d+)\/fs$/;

/** Returns the mounts of layers. Lines that are not in the format are left out: https://www.man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html */
export function layerMounts(text: string): readonly LayerMount[] {
  const mayBeLayers = text.split('\n').filter((line) => line.includes('overlay')); // also containerd's overlayfs
  return mayBeLayers.flatMap((line) => {
    const mount = parseLine(line);
    return (mount && layerMount(mount)) ?? [];
  });
}

/** Returns where something is mounted below a directory, a bind of the same filesystem too. */
export function mountPointsBelow(directory: string, text: string): readonly string[] {
  const mountPoints = text.split('\n').flatMap((line) => parseLine(line)?.mountPoint ?? []);
  return mountPoints.filter((mountPoint) => mountPoint.startsWith(`${directory}/`));
}

/** Any number of optional fields ends with a hyphen. */
function parseLine(line: string): MountLine | undefined {
  const fields = line.split(' ');
  const hyphen = fields.indexOf('-', 6);
  const [root, mountPoint] = [fields[3], fields[4]];
  const [filesystemType, , superOptions] = fields.slice(hyphen + 1);
  if (hyphen < 0 || root === undefined || mountPoint === undefined) return undefined;
  if (filesystemType === undefined || superOptions === undefined) return undefined;
  return { root: unescapeOctal(root), mountPoint: unescapeOctal(mountPoint), filesystemType, superOptions };
}

/** The kernel writes space, tab, line feed, comma and backslash as `\040`. */
function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

function layerMount({ root, mountPoint, filesystemType, superOptions }: MountLine): LayerMount | undefined {
  const containerId = containerRoot.exec(mountPoint)?.groups?.['id'];
  if (filesystemType === 'overlay') return { containerId, ...overlayDirectories(superOptions) };
  // A snapshot with a single layer is bound where it is needed.
  return snapshotRoot.test(root) ? { containerId, upperDirectory: undefined, lowerDirectories: [root] } : undefined;
}

/** https://docs.kernel.org/filesystems/overlayfs.html */
function overlayDirectories(superOptions: string): Omit<LayerMount, 'containerId'> {
  let upperDirectory: string | undefined;
  const lowers: string[] = [];
  for (const option of superOptions.split(',')) {
    const equals = option.indexOf('=');
    const [key, value] = [option.slice(0, equals), unescapeOctal(option.slice(equals + 1))];
    if (key === 'upperdir') upperDirectory = value;
    if (key === 'lowerdir') lowers.push(...value.split(/(?<!\\):+/));
    if (key === 'lowerdir+' || key === 'datadir+') lowers.push(value);
  }
  // containerd shortens long lists to paths relative to the folder of all snapshots.
  const folder = upperDirectory === undefined ? '/' : path.resolve(upperDirectory, '../..');
  return { upperDirectory, lowerDirectories: lowers.map((lower) => path.resolve(folder, unescapeColons(lower))) };
}

function unescapeColons(lower: string): string {
  return lower.replaceAll(/\\(.)/g, '$1');
}

/** The number of the snapshot whose directory this is. */
export function snapshotIdOf(directory: string): string | undefined {
  return snapshotRoot.exec(directory)?.groups?.['id'];
}

/** containerd's folder, by one of its mounts; undefined without one. */
export function containerdRootOf(layers: readonly LayerMount[]): string | undefined {
  const uppers = layers.map(({ upperDirectory = '' }) => upperDirectory);
  return uppers.find((upper) => snapshotRoot.test(upper))?.replace(snapshotRoot, '');
}

/** Returns, by the numbers of snapshots, the containers whose writable layers they are ('' for others), and the layers below. */
export function mountedSnapshots(layers: readonly LayerMount[]): {
  readonly uppers: ReadonlyMap<string, string>;
  readonly lowers: ReadonlySet<string>;
} {
  const uppers = new Map<string, string>();
  const lowers = new Set<string>();
  for (const { containerId = '', upperDirectory = '', lowerDirectories } of layers) {
    const upper = snapshotIdOf(upperDirectory);
    if (upper !== undefined) uppers.set(upper, containerId);
    for (const lower of lowerDirectories) lowers.add(snapshotIdOf(lower) ?? '');
  }
  return { uppers, lowers };
}
