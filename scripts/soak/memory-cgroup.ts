import { mkdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const root = '/sys/fs/cgroup';

interface Layout {
  readonly parent: string;
  readonly limitFile: string;
  readonly peakFile: string;
}

/** https://docs.kernel.org/admin-guide/cgroup-v1/memory.html, https://docs.kernel.org/admin-guide/cgroup-v2.html */
const layouts: readonly Layout[] = [
  {
    parent: path.join(root, 'memory'),
    limitFile: 'memory.limit_in_bytes',
    peakFile: 'memory.max_usage_in_bytes',
  },
  { parent: root, limitFile: 'memory.max', peakFile: 'memory.peak' },
];

/** Limits the memory of the processes in it, as a container's limit does. Needs root. */
export class MemoryCgroup implements AsyncDisposable {
  readonly #folder: string;
  readonly #layout: Layout;

  private constructor(folder: string, layout: Layout) {
    this.#folder = folder;
    this.#layout = layout;
  }

  static async create(limitBytes: number): Promise<MemoryCgroup> {
    const layout = await usedLayout();
    const folder = path.join(layout.parent, `ephemeral-storage-exporter-${process.pid}`);
    await mkdir(folder);
    await writeFile(path.join(folder, layout.limitFile), String(limitBytes));
    return new MemoryCgroup(folder, layout);
  }

  /** Starts a command within it: `[...entering, program, ...arguments]`. */
  get entering(): readonly string[] {
    return ['sh', '-c', `echo $$ > ${path.join(this.#folder, 'cgroup.procs')} && exec "$@"`, 'sh'];
  }

  async peakBytes(): Promise<number> {
    return Number(await readFile(path.join(this.#folder, this.#layout.peakFile), 'utf8'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (let attempt = 0; attempt < 20; attempt += 1) {
      // Busy until the kernel has forgotten the last process.
      if (await rmdir(this.#folder).then(...toBoolean)) return;
      await delay(100);
    }
  }
}

const toBoolean = [() => true, () => false] as const;

async function usedLayout(): Promise<Layout> {
  for (const layout of layouts) {
    if (await stat(layout.parent === root ? path.join(root, 'cgroup.controllers') : layout.parent).then(...toBoolean))
      return layout;
  }
  throw new Error(`no memory controller in ${root}`);
}
