/** CRDs of the Prometheus Operator, of `.ci/build-programs modules-operator`. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { eventually } from './programs.js';
import type { RealApiServer } from './real-api-server.js';

/** Those of the objects that the chart and the manifests have. */
export const monitoringResources = ['servicemonitors', 'podmonitors', 'prometheusrules'].map(
  (resource) => `${resource}.monitoring.coreos.com`,
);

/** The folder is beside prometheus-operator; undefined if there is none. */
function crdsFolder(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'prometheus-operator-crds'))
    .find((folder) => existsSync(folder));
}

export const hasOperatorCrds = (): boolean => crdsFolder() !== undefined;

/** Resolves when the API server has these resources, such as `probes`. */
export async function installOperatorCrds(server: RealApiServer, resources: readonly string[]): Promise<void> {
  const folder = crdsFolder() ?? '';
  const files = resources.flatMap((resource) => ['-f', path.join(folder, `monitoring.coreos.com_${resource}.yaml`)]);
  // One of them is too long for the annotation of a client-side apply.
  server.kubectl(['apply', '--server-side', ...files]);
  // By discovery, as all clients: some time after the condition Established.
  await eventually('the resources of the CRDs', async () =>
    Promise.resolve(server.kubectl(['get', resources.join(), '--all-namespaces', '--output=name'])),
  );
}
