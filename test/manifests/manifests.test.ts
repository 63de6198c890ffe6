import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listSettings } from '../../src/config/settings.js';
import { at, listAt, manifestsFolder, readObjects } from '../support/manifests/documents.js';
import { componentNames, fits, overlayNames } from '../support/manifests/overlays.js';
import { workloadsOf } from '../support/manifests/policies.js';

const read = (file: string): string => readFileSync(join(manifestsFolder, file), 'utf8');

const [podTemplate] = workloadsOf(readObjects('base/pod/pod.yaml'));
const [commonContainer = {}] = podTemplate?.containers ?? [];

describe('the manifests', () => {
  it('manifests place no pod on nodes that the exporter skips, although it tolerates their taints', () => {
    const [daemonSet] = workloadsOf(readObjects('overlays/node-local/daemon-set.yaml'));
    const [term] = listAt(
      daemonSet?.pod,
      'affinity',
      'nodeAffinity',
      'requiredDuringSchedulingIgnoredDuringExecution',
      'nodeSelectorTerms',
    );
    const avoided = listAt(term, 'matchExpressions').map(({ key, operator, values }) =>
      operator === 'NotIn' && Array.isArray(values) ? `${String(key)}=${values.map(String).join()}` : undefined,
    );
    const skipped = listSettings().find(({ path }) => path === 'cluster.skipNodes')?.defaultText;
    expect(`[ ${avoided.join(', ')} ]`).toBe(skipped);
  });

  it('manifests scrape a path and a port that the exporter serves', () => {
    const settings = new Map(listSettings().map(({ path, defaultText }) => [path, defaultText]));
    const [port] = listAt(commonContainer, 'ports');
    expect(settings.get('web.listenAddresses')).toContain(`:${String(port?.['containerPort'])}`);
    const [monitor] = readObjects('components/service-monitor/service-monitor.yaml');
    expect(listAt(monitor, 'spec', 'endpoints')[0]?.['path']).toBe(settings.get('web.telemetryPath'));
  });

  it('manifests let Prometheus get the path of the metrics, and nothing else', () => {
    const objects = readObjects('components/kubernetes-authorization/rbac.yaml');
    const role = objects.find(({ metadata }) => metadata.name === 'ephemeral-storage-exporter-metrics');
    const telemetryPath = listSettings().find(({ path }) => path === 'web.telemetryPath')?.defaultText;
    expect(at(role, 'rules')).toEqual([{ nonResourceURLs: [telemetryPath], verbs: ['get'] }]);
  });

  it.each(overlayNames)('the overlay %s offers, with one line each, the components that fit', (overlay) => {
    const lines = read(`overlays/${overlay}/kustomization.yaml`).matchAll(
      /^ *# +- \.\.\/\.\.\/components\/([\w-]+)$/gm,
    );
    const offered = Array.from(lines, ([, name = '']) => name);
    expect(offered.sort()).toEqual(componentNames.filter((name) => fits(overlay, name)).sort());
  });

  it('every component is offered by an overlay', () => {
    expect(componentNames).toEqual(expect.arrayContaining(readdirSync(join(manifestsFolder, 'components'))));
  });

  it('manifests are described in their README', () => {
    const readme = read('README.md');
    for (const overlay of overlayNames)
      expect(readme).toContain(`| [\`${overlay}\`](overlays/${overlay}/kustomization.yaml)`);
    for (const component of componentNames) expect(readme).toMatch(new RegExp(`^\\| \\[?\`${component}\``, 'm'));
  });
});
