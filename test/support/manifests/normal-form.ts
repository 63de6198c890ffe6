import { parse } from 'yaml';

import { isObject, type Json, type KubeObject } from './documents.js';

const name = 'ephemeral-storage-exporter';

/** Labels that every object of the chart or of kustomize has. */
const commonLabels = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/part-of',
  'helm.sh/chart',
];

/** Without what the chart and kustomize may differ in: the Namespace, common labels, names, orders that mean nothing. */
export function normalForm(objects: readonly KubeObject[]): readonly unknown[] {
  return objects
    .filter(({ kind }) => kind !== 'Namespace')
    .map((object) => normalObject(object))
    .sort((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));
}

const titleOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

function normalObject({ metadata, data, ...object }: KubeObject): KubeObject {
  const labels = isObject(metadata['labels']) ? Object.entries(metadata['labels']) : [];
  const own = labels.filter(([key]) => !commonLabels.includes(key));
  return {
    ...(normalValue(object) as Pick<KubeObject, 'apiVersion' | 'kind'>),
    metadata: { ...metadata, name: normalName(metadata.name), labels: Object.fromEntries(own) },
    ...(isObject(data) && { data: normalData(data) }),
  };
}

/** Cluster-wide objects of the chart are called `NAMESPACE:NAME:PART`; the dashboards of kustomize have no prefix. */
function normalName(text: string): string {
  return text
    .replace(`${name}:${name}`, name)
    .replaceAll(':', '-')
    .replace(/^ephemeral-storage-dashboard-/, `${name}-dashboard-`);
}

/** The settings without comments. */
function normalData(data: Json): Json {
  const config = data['config.yaml'];
  return typeof config === 'string' ? { ...data, 'config.yaml': parse(config) as unknown } : data;
}

function normalValue(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalValue(item));
    return key === 'env' ? items.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)) : items;
  }
  if (isObject(value)) {
    const entries = Object.entries(value).filter(([inner]) => inner !== 'app.kubernetes.io/instance');
    return Object.fromEntries(entries.map(([inner, content]) => [inner, normalValue(content, inner)]));
  }
  return key === 'name' && typeof value === 'string' ? normalName(value) : value;
}

const nameOf = (value: unknown): string => (isObject(value) ? String(value['name']) : '');
