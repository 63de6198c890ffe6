import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { eventually } from '../programs.js';

const imageFolders = ['dev', 'proc', 'mnt/cache', 'tmp', 'etc'];

/** As runtimes do it: an overlay on the image, and an emptyDir on /mnt/cache. `$0`: the folder, `$1`: the image; then the program. */
const setUp = `set -e
mount -t tmpfs tmpfs "$0/disk"
mkdir "$0/disk/upper" "$0/disk/work"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$0/disk/upper,workdir=$0/disk/work" "$0/merged"
mount -t proc proc "$0/merged/proc"
mount --bind /dev/null "$0/merged/dev/null"
mount -t tmpfs tmpfs "$0/merged/mnt/cache"
shift
exec chroot "$0/merged" "$@"`;

/** Creates what every image of a container has, in an empty folder. */
export async function createImage(image: string): Promise<void> {
  for (const folder of imageFolders) await mkdir(path.join(image, folder), { recursive: true });
  await writeFile(path.join(image, 'dev/null'), '');
  await writeFile(path.join(image, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
}

/** A process with a real overlay as its root, which ends with it. For root only. */
export class MountedContainer implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: ReturnType<typeof spawn>;
  readonly #pid: string;

  private constructor(folder: string, process: ReturnType<typeof spawn>, pid: string) {
    this.#folder = folder;
    this.#process = process;
    this.#pid = pid;
  }

  /** Runs a program of the image; the folder is empty. */
  static async start(folder: string, image: string, program: readonly string[]): Promise<MountedContainer> {
    for (const name of ['disk', 'merged']) await mkdir(path.join(folder, name));
    const flags = ['--mount', '--pid', '--fork', '--kill-child'];
    const command = ['sh', '-c', setUp, folder, image, ...program];
    const child = spawn('unshare', [...flags, ...command], { stdio: ['ignore', 'ignore', 'inherit'] });
    const id = String(child.pid);
    const pid = await eventually('the container to run', async () => {
      const found = (await readFile(`/proc/${id}/task/${id}/children`, 'utf8')).trim();
      return found !== '' && (await readlink(`/proc/${found}/root`)) !== '/' ? found : undefined;
    });
    return new MountedContainer(folder, child, pid);
  }

  /** Runs what follows it in the container. */
  get launcher(): readonly string[] {
    const merged = path.join(this.#folder, 'merged');
    return ['nsenter', '--target', this.#pid, '--mount', '--pid', 'chroot', merged];
  }

  /** Runs what follows it in an ephemeral container of another image, which sees the processes of this one. */
  launcherBeside(image: string): readonly string[] {
    const enter = 'mount -t proc proc "$0/proc" && mount --bind /dev/null "$0/dev/null" && exec chroot "$0" "$@"';
    return ['nsenter', '--target', this.#pid, '--pid', 'unshare', '--mount', 'sh', '-c', enter, image];
  }

  /** A path of the container, for this process. */
  path(inside: string): string {
    return path.join(`/proc/${this.#pid}/root`, inside);
  }

  /** Bytes of the writable layer, as the node's disk has them. */
  writtenBytes(): number {
    const words = ['--target', this.#pid, '--mount', 'du', '-x', '-s', '-B1', path.join(this.#folder, 'disk/upper')];
    return Number(execFileSync('nsenter', words, { encoding: 'utf8' }).split('\t')[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
  }
}
