import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/** Sizes in bytes of the files of a folder, by their paths in it. */
export type FileSizes = Readonly<Record<string, number>>;

/** Filesystems that compress find nothing to compress in it. */
const chunkBytes = 2 ** 20;
/** What `du` counts in: https://pubs.opengroup.org/onlinepubs/9799919799/utilities/du.html */
const sectorBytes = 512;

/**
 * The root of a node's filesystem, as a folder with real files in the temporary folder of this machine. Paths are those on the node.
 * It is removed at disposal, and when the process exits before.
 */
export class HostTree implements AsyncDisposable {
  readonly root = mkdtempSync(path.join(tmpdir(), 'ephemeral-storage-node-'));
  readonly #chunk = randomBytes(chunkBytes);
  readonly #remove = (): void => {
    rmSync(this.root, { recursive: true, force: true });
  };

  constructor() {
    process.once('exit', this.#remove);
  }

  addFolder(folder: string): void {
    mkdirSync(path.join(this.root, folder), { recursive: true });
  }

  /** Blocks are allocated when it returns: {@link bytes} stays what it is. */
  addFiles(folder: string, files: FileSizes): void {
    this.addFolder(folder);
    for (const [name, sizeBytes] of Object.entries(files)) {
      const file = path.join(this.root, folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      this.#write(file, sizeBytes);
    }
  }

  /** Replaces the file if it exists. */
  writeText(file: string, text: string): void {
    this.addFolder(path.dirname(file));
    writeFileSync(path.join(this.root, file), text);
  }

  addLink(file: string, target: string): void {
    this.addFolder(path.dirname(file));
    symlinkSync(target, path.join(this.root, file));
  }

  setModified(folder: string, atMs: number): void {
    utimesSync(path.join(this.root, folder), atMs / 1000, atMs / 1000);
  }

  /** Returns the size of a folder on the disk, with all that is in it: no file has two names. */
  bytes(folder: string): number {
    return allocatedBytes(path.join(this.root, folder));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.removeListener('exit', this.#remove);
    await rm(this.root, { recursive: true, force: true });
  }

  #write(file: string, sizeBytes: number): void {
    const descriptor = openSync(file, 'w');
    try {
      for (let leftBytes = sizeBytes; leftBytes > 0; leftBytes -= chunkBytes) {
        writeSync(descriptor, this.#chunk, 0, Math.min(leftBytes, chunkBytes));
      }
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

function allocatedBytes(file: string): number {
  const found = lstatSync(file);
  const ownBytes = found.blocks * sectorBytes;
  if (!found.isDirectory()) return ownBytes;
  return readdirSync(file).reduce((sum, name) => sum + allocatedBytes(path.join(file, name)), ownBytes);
}
