import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

import { parseAllDocuments } from 'yaml';

import type { Node, Pod } from '../../cluster/kube/objects.js';
import { projectNode, projectPod } from '../../cluster/kube/projection.js';
import type { NodeSummary } from '../../cluster/kubelet/summary.js';
import { decodeSummary } from '../../cluster/kubelet/summary-reader.js';
import { messageOf, RequestError, UserError } from '../../lib/base/errors.js';
import { readText } from '../../lib/base/text-file.js';
import { isObject, type JsonObject, objectOf, textOf } from '../../lib/json/json.js';

export interface RecordedSummary {
  readonly file: string;
  readonly summary: NodeSummary;
}

export interface RecordedObjects {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

/** The summaries of a file or of the `*.json` files of a folder. Throws UserError when there is no such path. */
export async function readSummaries(
  location: string,
  warn: (text: string) => void,
): Promise<readonly RecordedSummary[]> {
  const summaries: RecordedSummary[] = [];
  for (const file of await filesAt(location, ['.json'])) {
    try {
      summaries.push({ file, summary: decodeSummary(await readText(file), file) });
    } catch (error) {
      const place = error instanceof RequestError ? '' : `${file}: `;
      warn(`left out: ${place}${messageOf(error)}`);
    }
  }
  return summaries;
}

/** The nodes and pods of a file or of the JSON and YAML files of a folder: lists, single objects or several documents. */
export async function readObjects(location: string, warn: (text: string) => void): Promise<RecordedObjects> {
  const nodes: Node[] = [];
  const pods: Pod[] = [];
  for (const file of await filesAt(location, ['.json', '.yaml', '.yml'])) {
    try {
      const objects = itemsOfFile(await readText(file));
      nodes.push(...objects.filter(({ kind }) => kind === 'Node').map(({ value }) => projectNode(value)));
      pods.push(...objects.filter(({ kind }) => kind === 'Pod').map(({ value }) => projectPod(value)));
    } catch (error) {
      warn(`left out: ${file}: ${messageOf(error)}`);
    }
  }
  return { nodes, pods };
}

async function filesAt(location: string, endings: readonly string[]): Promise<readonly string[]> {
  try {
    if ((await stat(location)).isFile()) return [location];
    const names = await readdir(location);
    return names
      .filter((name) => endings.includes(path.extname(name)))
      .sort()
      .map((name) => path.join(location, name));
  } catch (error) {
    throw new UserError(`${location}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function itemsOfFile(text: string): ReturnType<typeof itemsOf> {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return itemsOf(document.toJS());
  });
}

/** Items of lists have no kind of their own unless the list is of kind `List`. */
function itemsOf(document: unknown): readonly { readonly kind: string; readonly value: JsonObject }[] {
  if (!isObject(document)) return [];
  const kind = textOf(document['kind']) ?? '';
  const items = document['items'];
  if (!Array.isArray(items)) return [{ kind, value: withResourceVersion(document) }];
  const itemKind = kind.replace(/List$/, '');
  return items
    .filter(isObject)
    .map((item) => ({ kind: textOf(item['kind']) ?? itemKind, value: withResourceVersion(item) }));
}

/** A kubelet's own `/pods` has none for static pods. */
function withResourceVersion(object: JsonObject): JsonObject {
  return { ...object, metadata: { resourceVersion: '0', ...objectOf(object['metadata']) } };
}
