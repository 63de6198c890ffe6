import { parse } from 'yaml';

import { objectOf, objectsOf, textOf } from '../json/json.js';
import { readTextFile } from './credential-files.js';
import { kubeconfigPaths, type KubeconfigPlaces } from './load-credentials.js';

export type KubeconfigEntries = 'contexts' | 'clusters' | 'users';

/** Returns the names of the kubeconfig's entries, without loading client-node. Throws when a file cannot be read. */
export async function kubeconfigNames(
  places: KubeconfigPlaces,
  entries: KubeconfigEntries,
): Promise<readonly string[]> {
  const names: (string | undefined)[] = [];
  for (const path of await kubeconfigPaths(places)) {
    const content: unknown = parse(await readTextFile(path, 'kubeconfig'), { logLevel: 'silent' });
    names.push(...objectsOf(objectOf(content)[entries]).map(({ name }) => textOf(name)));
  }
  return [...new Set(names.filter((name) => name !== undefined))];
}
