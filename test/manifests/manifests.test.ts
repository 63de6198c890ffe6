import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { listSettings } from '../../src/config/settings.js';
import { at, type Json, listAt, manifestsFolder, readObjects } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { componentNames, leastGrants, misfit, overlayNames } from '../support/manifests/overlays.js';
import { containerChecks, failing, grantsOf, podFaults, workloadsOf } from '../support/manifests/policies.js';

const read = (file: string): string => readFileSync(join(manifestsFolder, file), 'utf8');

/** Files of Kubernetes objects and of kustomize: all except settings of the exporter and files for Prometheus. */
const files = readdirSync(manifestsFolder, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.yaml') && !file.endsWith('config.yaml') && !file.startsWith('rules'),
);

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
    expect(files.length).toBeGreaterThan(25);
    expect(patches.size).toBeGreaterThan(5);
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
      'components/node-proxy/rbac.yaml': ['get nodes/proxy'],
      'components/nodes-configz/rbac.yaml': ['get nodes/configz'],
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

  it.each(workloads)('the exporter of $overlay starts with valid flags and settings', async ({ overlay, workload }) => {
    const own = `overlays/${overlay}/config.yaml`;
    const config = existsSync(join(manifestsFolder, own)) ? own : 'base/config.yaml';
    const { status, error } = await checkSettings(exporterOf(workload.containers), read(config));
    expect({ status, error }).toEqual({ status: 0, error: '' });
  });

  it.each(['kind', 'gke-autopilot'])('manifests have valid settings for %s', async (overlay) => {
    const { status, out } = await checkSettings(
      { args: ['serve', '--config.file=/etc/ephemeral-storage-exporter/config.yaml'] },
      read(`overlays/${overlay}/config.yaml`),
    );
    expect(status).toBe(0);
    expect(out).toContain('insecureSkipVerify: true');
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

  it('manifests run the image of this version', () => {
    const { version } = JSON.parse(readFileSync(join(manifestsFolder, '../package.json'), 'utf8')) as {
      version: string;
    };
    const [pod] = readObjects('base/pod/kustomization.yaml');
    const newName = expect.stringMatching(/^ghcr\.io\//) as unknown;
    expect(at(pod, 'images')).toEqual([{ name: commonContainer['image'], newName, newTag: version }]);
  });

  it('manifests scrape a path and a port that the exporter serves', () => {
    const settings = new Map(listSettings().map(({ path, defaultText }) => [path, defaultText]));
    const [port] = listAt(commonContainer, 'ports');
    expect(settings.get('web.listenAddresses')).toContain(`:${String(port?.['containerPort'])}`);
    for (const [file, key] of [
      ['components/service-monitor/service-monitor.yaml', 'endpoints'],
      ['components/pod-monitor/pod-monitor.yaml', 'podMetricsEndpoints'],
    ] as const) {
      const [endpoint] = readObjects(file).flatMap((object) => listAt(object, 'spec', key));
      expect(endpoint?.['path']).toBe(settings.get('web.telemetryPath'));
    }
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
    expect(offered.sort()).toEqual(componentNames.filter((name) => misfit(overlay, name) === undefined).sort());
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
