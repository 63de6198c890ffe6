import { createReadStream } from 'node:fs';

import { type LayerMount, layerMounts } from '../node/mount-info.js';

/** The mounts of layers on a host. */
export interface MountTable {
  readonly layers: readonly LayerMount[];
  /** The text was longer than what is read of it: mounts may be missing. */
  readonly isTruncated: boolean;
}

/** The kernel has at most 100,000 mounts in a namespace by default; nodes have a few hundred. */
const maxTextBytes = 32 * 1024 * 1024;

/** Reads the mount table of a process, such as `/proc/1/mountinfo` of the host. */
export async function readMountTable(file: string, maxBytes = maxTextBytes): Promise<MountTable> {
  let text = '';
  let sizeBytes = 0;
  for await (const chunk of createReadStream(file, { encoding: 'utf8', end: maxBytes }) as AsyncIterable<string>) {
    text += chunk;
    sizeBytes += Buffer.byteLength(chunk);
  }
  const isTruncated = sizeBytes > maxBytes;
  return { layers: layerMounts(isTruncated ? text.slice(0, text.lastIndexOf('\n') + 1) : text), isTruncated };
}
