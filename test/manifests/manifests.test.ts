import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

import { listSettings } from '../../src/config/settings.js';
import { at, type Json, listAt, manifestsFolder, readObjects } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { componentNames, fits, leastGrants, overlayNames } from '../support/manifests/overlays.js';
import { containerChecks, failing, grantsOf, podFaults, workloadsOf } from '../support/manifests/policies.js';

const read = (file: string): string => readFileSync(join(manifestsFolder, file), 'utf8');

/** Files of Kubernetes objects and of kustomize: all except settings of the exporter and files for Prometheus. */
const files = readdirSync(manifestsFolder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.yaml') && !file.endsWith('config.yaml') && !file.startsWith('rules'),
);

const chartPath = '../charts/ephemeral-storage-exporter';

const kustomizations = files.filter((file) => file.endsWith('kustomization.yaml'));

const patches = new Set(
  kustomizations.flatMap((file) =>
    readObjects(file)
      .flatMap((object) => listAt(object, 'patches'))
      .flatMap(({ path }) => (typeof path === 'string' ? [join(dirname(file), path)] : [])),
  ),
);

const [podTemplate] = workloadsOf(readObjects('base/pod/pod.yaml'));
const [commonContainer = {}] = podTemplate?.containers ?? [];

const workloads = overlayNames.flatMap((overlay) =>
  files
    .filter((file) => dirname(file) === join('overlays', overlay) && !patches.has(file))
    .filter((file) => !file.endsWith('kustomization.yaml'))
    .flatMap((file) => workloadsOf(readObjects(file)).map((workload) => ({ overlay, workload }))),
);

const exporterOf = (containers: readonly Json[]): Json => containers.find(({ name }) => name === 'exporter') ?? {};

describe('the manifests', () => {
  it('manifests are found', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(patches.size).toBeGreaterThan(3);
    expect(workloads.map(({ overlay }) => overlay)).toEqual(['deployment', 'sharded', 'node-local', 'sidecar']);
  });

  it.each(kustomizations)('%s names files and folders that exist', (file) => {
    for (const object of readObjects(file)) {
      const named = [
        ...['resources', 'components', 'transformers'].flatMap((key) => {
          const value = at(object, key);
          return Array.isArray(value) ? value.map(String) : [];
        }),
        ...listAt(object, 'patches').flatMap(({ path }) => (typeof path === 'string' ? [path] : [])),
      ];
      for (const path of named) expect(existsSync(join(manifestsFolder, dirname(file), path)), path).toBe(true);
    }
  });

  it('manifests grant the exporter only what it needs; all else is opt-in', () => {
    const grants = Object.fromEntries(
      files
        .filter((file) => !patches.has(file) && !file.endsWith('kustomization.yaml'))
        .map((file) => [file, grantsOf(readObjects(file))] as const)
        .filter(([, found]) => found.length > 0),
    );
    expect(grants).toEqual({
      'base/rbac.yaml': leastGrants,
      'components/kubernetes-authorization/rbac.yaml': [
        'create authentication.k8s.io/tokenreviews',
        'create authorization.k8s.io/subjectaccessreviews',
      ],
    });
  });

  it('all manifests have one pod template with the restricted security context and probes', () => {
    expect(podFaults(podTemplate?.pod ?? {})).toEqual([]);
    expect(failing({ ...containerChecks.securityChecks, ...containerChecks.probeChecks }, commonContainer)).toEqual([]);
  });

  it.each(workloads)('resources and no weaker security are added to the pods of $overlay', ({ workload }) => {
    const exporter = exporterOf(workload.containers);
    expect(failing(containerChecks.resourceChecks, exporter)).toEqual([]);
    const ofTemplate = ['securityContext', 'image', 'startupProbe', 'livenessProbe', 'readinessProbe'];
    expect(ofTemplate.filter((key) => key in exporter)).toEqual([]);
    expect(workload.pod).not.toHaveProperty('securityContext');
    const others = workload.containers.filter((container) => container !== exporter);
    const { securityChecks, probeChecks, resourceChecks, imageChecks } = containerChecks;
    const all = { ...securityChecks, ...probeChecks, ...resourceChecks, ...imageChecks };
    expect(others.flatMap((container) => failing(all, container))).toEqual([]);
  });

  it.each(workloads)('the exporter of $overlay starts with valid flags and settings', async ({ workload }) => {
    const { status, error } = await checkSettings(exporterOf(workload.containers), read('base/config.yaml'));
    expect({ status, error }).toEqual({ status: 0, error: '' });
  });

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

  it('manifests and chart run the image of this version', () => {
    const { version } = JSON.parse(readFileSync(join(manifestsFolder, '../package.json'), 'utf8')) as {
      version: string;
    };
    const [pod] = readObjects('base/pod/kustomization.yaml');
    const newName = expect.stringMatching(/^ghcr\.io\//) as unknown;
    expect(at(pod, 'images')).toEqual([{ name: commonContainer['image'], newName, newTag: version }]);
    const [chart, values] = ['Chart.yaml', 'values.yaml'].map((file) => parse(read(`${chartPath}/${file}`)) as Json);
    expect([chart?.['version'], chart?.['appVersion']]).toEqual([version, version]);
    expect(at(values, 'image', 'repository')).toBe(listAt(pod, 'images')[0]?.['newName']);
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
