import { execFile, spawnSync } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

import { isInstalled, temporaryFolder } from '../programs.js';
import { fillBase, mountPoints, npmVolumes } from './base.js';

const checkout = path.resolve(import.meta.dirname, '../../..');
/** Neither is part of the build context, and both are large. */
const notCopied = ['.git', 'node_modules'].map((name) => path.join(checkout, name));

/** Whether root filesystems can be mounted here. Those of other tests and of the machine stay as they are. */
const mayMount = (): boolean =>
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' }).status === 0;

/** Whether this process is root and may have mounts of its own. */
export const hasMounts = (): boolean => process.platform === 'linux' && process.getuid?.() === 0 && mayMount();

export const canBuildImages = (): boolean => hasMounts() && isInstalled('buildah');

interface ImageConfig {
  readonly User: string;
  readonly WorkingDir: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly ExposedPorts: Readonly<Record<string, object>>;
}

interface Blob {
  readonly digest: string;
  readonly size: number;
}

interface ImageFiles {
  readonly config: ImageConfig;
  /** Of the base first. */
  readonly layers: readonly (Blob & { readonly file: string })[];
}

/** Images, in a folder of their own. */
class ImageStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Its output. */
  async run(...args: readonly string[]): Promise<string> {
    const place = ['--root', path.join(this.#folder, 'storage'), '--runroot', path.join(this.#folder, 'run')];
    const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', TMPDIR: this.#folder };
    const options = { env, maxBuffer: 2 ** 24 };
    return (
      await promisify(execFile)('buildah', ['--storage-driver', 'vfs', ...place, ...args], options)
    ).stdout.trim();
  }

  /** The folder that is the root filesystem of a new container. */
  async mount(image: string): Promise<{ readonly container: string; readonly root: string }> {
    const container = await this.run('from', image);
    return { container, root: await this.run('mount', container) };
  }

  async addBase(name: string): Promise<void> {
    const { container, root } = await this.mount('scratch');
    await fillBase(root);
    await this.run('config', '--env', 'PATH=/bin', container);
    await this.run('commit', '--quiet', '--rm', container, name);
  }

  async countLayers(image: string): Promise<number> {
    return Number(await this.run('inspect', '--type', 'image', '--format', '{{len .OCIv1.RootFS.DiffIDs}}', image));
  }

  async read(image: string): Promise<ImageFiles> {
    const folder = path.join(this.#folder, `image-${path.basename(image)}`);
    await this.run('push', '--quiet', '--disable-compression', image, `dir:${folder}`);
    const fileOf = ({ digest }: Blob): string => path.join(folder, digest.replace('sha256:', ''));
    const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));
    const manifest = (await readJson(path.join(folder, 'manifest.json'))) as { config: Blob; layers: readonly Blob[] };
    const { config } = (await readJson(fileOf(manifest.config))) as { readonly config: ImageConfig };
    return { config, layers: manifest.layers.map((blob) => ({ ...blob, file: fileOf(blob) })) };
  }
}

export interface AddedFiles {
  /** The files of the layers above the base, without folders, sorted. */
  readonly names: readonly string[];
  readonly bytes: number;
  readonly compressedBytes: number;
}

export interface ImageRun {
  /** Folders of this machine by where they are mounted, read-only. */
  readonly volumes?: Readonly<Partial<Record<keyof typeof mountPoints, string>>>;
  readonly environment?: readonly string[];
  /** Default: the image's. */
  readonly entrypoint?: readonly string[];
}

/**
 * `mount-and-run ROOT PROGRAM…`, with pairs of folder and mount point in $VOLUMES: nothing of the root filesystem can be written, and no
 * mount outlives the program. /dev has no shared memory, the only part of it that all users may write.
 */
const runReadOnly = `
set -eu
root="$1"; shift
mount --bind "$root" "$root"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
mount -o remount,bind,ro "$root/dev"
for pair in $VOLUMES; do
  mount --bind "\${pair%%:*}" "$root\${pair#*:}"
  mount -o remount,bind,ro "$root\${pair#*:}"
done
mount -o remount,bind,ro "$root"
exec chroot --groups= --userspec="$IMAGE_USER" "$root" "$@"`;

/** The image of this checkout, built by its Dockerfile on a base of this machine's programs. */
export class BuiltImage implements AsyncDisposable {
  readonly config: ImageConfig;
  readonly added: AddedFiles;
  readonly #root: string;
  readonly #folder: AsyncDisposable;

  private constructor(parts: { config: ImageConfig; added: AddedFiles; root: string; folder: AsyncDisposable }) {
    this.config = parts.config;
    this.added = parts.added;
    this.#root = parts.root;
    this.#folder = parts.folder;
  }

  static async build(buildArgs: Readonly<Record<string, string>>): Promise<BuiltImage> {
    const folder = await temporaryFolder();
    try {
      const store = new ImageStore(folder.path);
      const [base, name] = ['localhost/base', 'localhost/exporter'];
      await store.addBase(base);
      const args = Object.entries({ NODE_IMAGE: base, ...buildArgs }).map(([key, value]) => `${key}=${value}`);
      const flags = [...args.flatMap((arg) => ['--build-arg', arg]), ...(await npmVolumes(folder.path))];
      await store.run('bud', '--quiet', ...flags, '--tag', name, await copyPrivately(folder.path));
      const { config, layers } = await store.read(name);
      const added = await addedFiles(layers.slice(await store.countLayers(base)));
      const { root } = await store.mount(name);
      return new BuiltImage({ config, added, root, folder });
    } catch (error) {
      await folder[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The words that run its entrypoint as its user, with a root filesystem that is read-only. */
  launcher({ volumes = {}, environment = [], entrypoint = this.config.Entrypoint }: ImageRun = {}): readonly string[] {
    const { Env, User, WorkingDir } = this.config;
    const pairs = Object.entries(volumes).map(([name, from]) => `${from}:${mountPoints[name as keyof typeof volumes]}`);
    const outside = ['env', `VOLUMES=${pairs.join(' ')}`, `IMAGE_USER=${User}`];
    const inside = ['/bin/env', '-i', '-C', WorkingDir, ...Env, ...environment];
    const unshare = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', runReadOnly, 'sh'];
    return [...outside, ...unshare, this.#root, ...inside, ...entrypoint];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.#folder[Symbol.asyncDispose]());
  }
}

/** A copy of the checkout that only its owner may read, as with a umask of 077. */
async function copyPrivately(folder: string): Promise<string> {
  const context = path.join(folder, 'context');
  await mkdir(context);
  await cp(checkout, context, { recursive: true, filter: (source) => !notCopied.includes(source) });
  await promisify(execFile)('chmod', ['-R', 'go=', context]);
  return context;
}

async function addedFiles(layers: ImageFiles['layers']): Promise<AddedFiles> {
  let compressedBytes = 0;
  const names: string[] = [];
  for (const { file } of layers) {
    compressedBytes += gzipSync(await readFile(file)).length;
    const { stdout } = await promisify(execFile)('tar', ['-tf', file]);
    names.push(...stdout.split('\n').filter((name) => name !== '' && !name.endsWith('/')));
  }
  return { names: names.sort(), compressedBytes, bytes: layers.reduce((sum, { size }) => sum + size, 0) };
}
