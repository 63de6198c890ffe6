import { createReadStream } from 'node:fs';

import { type LayerMount, layerMounts } from '../node/mount-info.js';

/** Nodes have a few hundred mounts, of some kilobytes at most. */
const maxTextBytes = 8 * 1024 * 1024;

/** Reads the mounts of layers of a process, such as `/proc/1/mountinfo` of the host. Rejects when there are more than any node has. */
export async function readLayerMounts(file: string, maxBytes = maxTextBytes): Promise<readonly LayerMount[]> {
  const layers: LayerMount[] = [];
  let rest = '';
  let sizeBytes = 0;
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    sizeBytes += Buffer.byteLength(chunk);
    if (sizeBytes > maxBytes) throw new Error(`longer than ${maxBytes} bytes`);
    const text = rest + chunk;
    const endIndex = text.lastIndexOf('\n') + 1;
    layers.push(...layerMounts(text.slice(0, endIndex)));
    rest = text.slice(endIndex);
  }
  return [...layers, ...layerMounts(rest)];
}
