/**
 * Real kubelet summaries and API objects, recorded from clusters of many versions. They are beside the checkout, not
 * in it: tests that read them are skipped if the folder is missing.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../../../shared/captures', import.meta.url));

export const hasCaptures = existsSync(folder);

/** Suffix for the names of skipped tests. */
export const capturesNeeded = 'needs the recorded captures in ../shared/captures';

export interface Capture {
  readonly name: string;
  /** The body of a `/stats/summary` response. */
  readonly summary: string;
  /** The pods of the API at that time, as JSON; empty if none were recorded. */
  readonly pods: readonly unknown[];
  /** The nodes of the API, likewise. */
  readonly nodes: readonly unknown[];
}

const podsOfSummary: Readonly<Record<string, string>> = {
  'honeycombio_honeycomb-kubernetes-agent_stats-summary.json': 'paired/honeycombio_pods.json',
  'live/kubelet_1_26_summary.json': 'live/kubelet_1_26_pods.json',
  'microsoft_Docker-Provider_summary1.json': 'paired/microsoft_Docker-Provider_pods1.json',
  'newrelic_nri-kubernetes_k8s_1_31.json': 'paired/newrelic_nri-kubernetes_k8s_1_31_pods.yaml',
  'newrelic_nri-kubernetes_k8s_1_33.json': 'paired/newrelic_nri-kubernetes_k8s_1_33_pods.yaml',
};

const nodesOfSummary: Readonly<Record<string, string>> = {
  'honeycombio_honeycomb-kubernetes-agent_stats-summary.json': 'paired/honeycombio_nodes.json',
  'live/kubelet_1_26_summary.json': 'live/kubelet_1_26_nodes.json',
  'newrelic_nri-kubernetes_k8s_1_31.json': 'paired/newrelic_nri-kubernetes_k8s_1_31_nodes.yaml',
  'newrelic_nri-kubernetes_k8s_1_33.json': 'paired/newrelic_nri-kubernetes_k8s_1_33_nodes.yaml',
};

/** All recorded summaries; none if the folder is missing. */
export function readCaptures(): readonly Capture[] {
  if (!hasCaptures) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return [...names, 'live/kubelet_1_26_summary.json'].flatMap((name) => {
    const [summary, pods] = [asSummary(name, read(name)), podsOfSummary[name]];
    const capture = { name, summary, pods: readItems(pods), nodes: readItems(nodesOfSummary[name]) };
    const own = pods?.replace(/_pods\.\w+$/, '_kubelet-pods.json');
    const hasOwn = own !== undefined && own !== pods && existsSync(join(folder, own));
    return hasOwn ? [capture, { ...capture, name: `${name}, pods of the kubelet`, pods: readItems(own) }] : [capture];
  });
}

/** Versions of Kubernetes in the names of the recorded summaries, such as `1.26`, in order. */
export function capturedVersions(): readonly string[] {
  const minors = readCaptures().flatMap(({ name }) => /_1_(\d+)(?:_summary)?\.json$/.exec(name)?.[1] ?? []);
  return [...new Set(minors.map(Number))].sort((one, other) => one - other).map((minor) => `1.${minor}`);
}

/** One capture is the part of a single pod in a summary. */
function asSummary(name: string, text: string): string {
  return name.endsWith('.podstats.json') ? `{"node":{"nodeName":"${name}"},"pods":[${text}]}` : text;
}

function readItems(name: string | undefined): readonly unknown[] {
  if (name === undefined) return [];
  const list = parse(read(name)) as { readonly items: readonly unknown[] };
  return list.items;
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

/** The text of a recorded file, such as a response with its headers; '' if the folder is missing. */
export function readRecording(name: string): string {
  return hasCaptures ? read(name) : '';
}

/** The path of a recorded file. */
export function capturePath(name: string): string {
  return join(folder, name);
}
