/**
 * Checks objects against the types of the Kubernetes API, as the API server does with `--validate=strict`: by the models
 * of the client library, which are generated from the specification of the API.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import * as client from '@kubernetes/client-node';

import { isObject, type Json } from './documents.js';

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

const modelNames: Readonly<Partial<Record<string, string>>> = {
  'v1 ConfigMap': 'V1ConfigMap',
  'v1 Namespace': 'V1Namespace',
  'v1 Service': 'V1Service',
  'v1 ServiceAccount': 'V1ServiceAccount',
  'apps/v1 DaemonSet': 'V1DaemonSet',
  'apps/v1 Deployment': 'V1Deployment',
  'apps/v1 StatefulSet': 'V1StatefulSet',
  'networking.k8s.io/v1 NetworkPolicy': 'V1NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'V1PodDisruptionBudget',
  'rbac.authorization.k8s.io/v1 Role': 'V1Role',
  'rbac.authorization.k8s.io/v1 ClusterRole': 'V1ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': 'V1ClusterRoleBinding',
};

const modelFolder = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen', 'models');

export interface TypeCheck {
  /** Of a patch: required fields may be missing, and null removes a field. */
  readonly isPatch?: boolean;
}

/** One line for each unknown, mistyped or missing field, with its path; undefined for an unknown kind. */
export function typeFaults(object: Json, { isPatch = false }: TypeCheck = {}): readonly string[] | undefined {
  const name = modelNames[`${String(object['apiVersion'])} ${String(object['kind'])}`];
  if (name === undefined) return undefined;
  return modelFaults(object, name, { path: '', isPatch });
}

interface Place {
  readonly path: string;
  readonly isPatch: boolean;
}

const inside = (place: Place, key: string): Place => ({ ...place, path: `${place.path}${key}` });

function modelFaults(value: unknown, modelName: string, place: Place): readonly string[] {
  if (!isObject(value)) return [mistyped(value, 'a mapping', place)];
  const attributes = new Map(
    modelOf(modelName)
      .getAttributeTypeMap()
      .map(({ baseName, type }) => [baseName, type]),
  );
  const faults = Object.entries(value).flatMap(([key, inner]) => {
    const type = attributes.get(key);
    if (type !== undefined) return valueFaults(inner, type, inside(place, `.${key}`));
    return place.isPatch && key === '$patch' ? [] : [`${place.path}.${key}: unknown field of ${modelName}`];
  });
  const missing = place.isPatch ? [] : requiredFields(modelName).filter((key) => !(key in value));
  return [...faults, ...missing.map((key) => `${place.path}.${key}: missing`)];
}

const arrayType = /^Array<(.*)>$/;
const mapType = /^\{ \[key: string\]: (.*); \}$/;

interface Scalar {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const scalars: Readonly<Partial<Record<string, Scalar>>> = {
  string: { expected: 'a string', accepts: (value) => typeof value === 'string' },
  number: { expected: 'a number', accepts: (value) => typeof value === 'number' },
  boolean: { expected: 'a boolean', accepts: (value) => typeof value === 'boolean' },
  IntOrString: {
    expected: 'a number or string',
    accepts: (value) => typeof value === 'string' || Number.isInteger(value),
  },
};

function valueFaults(value: unknown, type: string, place: Place): readonly string[] {
  if (value === null && place.isPatch) return [];
  const [, itemType] = arrayType.exec(type) ?? [];
  if (itemType !== undefined) return itemFaults(value, itemType, place);
  const [, entryType] = mapType.exec(type) ?? [];
  if (entryType !== undefined) return entryFaults(value, entryType, place);
  const scalar = scalars[type];
  if (scalar === undefined) return modelFaults(value, type, place);
  return scalar.accepts(value) ? [] : [mistyped(value, scalar.expected, place)];
}

function itemFaults(value: unknown, type: string, place: Place): readonly string[] {
  if (!Array.isArray(value)) return [mistyped(value, 'a list', place)];
  return value.flatMap((item, index) => valueFaults(item, type, inside(place, `[${String(index)}]`)));
}

function entryFaults(value: unknown, type: string, place: Place): readonly string[] {
  if (!isObject(value)) return [mistyped(value, 'a mapping', place)];
  return Object.entries(value).flatMap(([key, inner]) => valueFaults(inner, type, inside(place, `[${key}]`)));
}

function mistyped(value: unknown, expected: string, { path }: Place): string {
  return `${path}: ${JSON.stringify(value)} is not ${expected}`;
}

function modelOf(name: string): Model {
  const model = (client as unknown as Readonly<Partial<Record<string, Model>>>)[name];
  if (model === undefined) throw new Error(`the client library has no model ${name}`);
  return model;
}

/** At run time, the models do not know which fields are required; their declarations do. */
function requiredFields(modelName: string): readonly string[] {
  const declaration = readFileSync(join(modelFolder, `${modelName}.d.ts`), 'utf8');
  return [...declaration.matchAll(/^ {4}'(\w+)': /gm)].map(([, field = '']) => field);
}
