/** Kubernetes objects as in YAML. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parseAllDocuments } from 'yaml';

export type Json = Readonly<Record<string, unknown>>;

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Json & { readonly name: string };
  readonly [key: string]: unknown;
}

export const manifestsFolder = fileURLToPath(new URL('../../../manifests/', import.meta.url));

/** The non-empty documents of a stream. Throws at a syntax error or a duplicate key. */
export function documentsOf(text: string, source: string): readonly unknown[] {
  return parseAllDocuments(text, { uniqueKeys: true })
    .map((document) => {
      const [fault] = document.errors;
      if (fault !== undefined) throw new Error(`${source}: ${fault.message}`);
      return document.toJS() as unknown;
    })
    .filter((value) => value !== null);
}

export function objectsOf(text: string, source: string): readonly KubeObject[] {
  return documentsOf(text, source).map((value) => {
    if (!isObject(value) || typeof value['kind'] !== 'string' || typeof value['apiVersion'] !== 'string') {
      throw new Error(`${source}: not a Kubernetes object`);
    }
    return value as unknown as KubeObject;
  });
}

/** The objects of a file of `manifests`. */
export function readObjects(file: string): readonly KubeObject[] {
  return objectsOf(readFileSync(join(manifestsFolder, file), 'utf8'), file);
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

/** The objects of the list at a path; empty if there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}
