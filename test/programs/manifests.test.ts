import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { at, type Json, type KubeObject, listAt } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { canRender, renderChanged, renderOptedIn, renderOverlay, renderOwn } from '../support/manifests/kustomize.js';
import {
  agentFaults,
  type ComponentName,
  componentNames,
  fits,
  grantsOfComponent,
  leastGrants,
  type OverlayName,
  overlayNames,
  readableShards,
  readerGrants,
} from '../support/manifests/overlays.js';
import {
  configOf,
  exporterOf,
  grantsOf,
  policyFaults,
  readerGrantsOf,
  workloadsOf,
} from '../support/manifests/policies.js';
import { readmeBlocks } from '../support/manifests/readme.js';

const rendered = new Map<OverlayName, readonly KubeObject[]>();

/** Each is rendered once. */
function overlayObjects(overlay: OverlayName): readonly KubeObject[] {
  const objects = rendered.get(overlay) ?? renderOverlay(overlay);
  rendered.set(overlay, objects);
  return objects;
}

const withComponent = (overlay: OverlayName, component: ComponentName): readonly KubeObject[] =>
  renderOwn({ text: `resources: [MANIFESTS/overlays/${overlay}]\ncomponents: [MANIFESTS/components/${component}]\n` });

function shardsOf(objects: readonly KubeObject[]): readonly unknown[] {
  const [set] = objects.filter(({ kind }) => kind === 'StatefulSet');
  const { args } = exporterOf(objects);
  const [flag, ...others] = (Array.isArray(args) ? args.map(String) : []).filter((arg) => arg.includes('total-shards'));
  expect(others).toEqual([]);
  return [at(set, 'spec', 'replicas'), flag];
}

const componentsOf = (overlay: OverlayName): readonly ComponentName[] =>
  componentNames.filter((name) => fits(overlay, name));

const pairs = overlayNames.flatMap((overlay) => componentNames.map((component) => ({ overlay, component })));

describe.skipIf(!canRender())('the rendered manifests (need kubectl 1.27)', () => {
  it.each(overlayNames)("the overlay %s follows the project's rules", async (overlay) => {
    const objects = overlayObjects(overlay);
    expect(policyFaults(objects)).toEqual([]);
    expect(grantsOf(objects)).toEqual(leastGrants);
    const { status, error } = await checkSettings(exporterOf(objects), configOf(objects));
    expect([status, error]).toEqual([0, '']);
  });

  it.each(overlayNames)('the overlay %s accepts all components that it offers, uncommented in place', (overlay) => {
    const components = componentsOf(overlay);
    const objects = renderOptedIn(overlay, components);
    expect(policyFaults(objects)).toEqual([]);
    const grants = components.flatMap((name) => grantsOfComponent[name] ?? []);
    expect(grantsOf(objects)).toEqual([...leastGrants, ...grants].sort());
  });

  it.each(pairs.filter(({ overlay, component }) => !fits(overlay, component)))(
    '$overlay with $component would select nothing',
    ({ overlay, component }) => {
      expect(policyFaults(withComponent(overlay, component))).toEqual([expect.stringContaining('selects')]);
    },
  );

  it.each(overlayNames)(
    'the overlay %s has a Role for readers where its pods have names known beforehand',
    (overlay) => {
      const shards = readableShards[overlay];
      const expected = shards === undefined ? [] : readerGrants('ephemeral-storage-exporter', shards);
      expect(readerGrantsOf(overlayObjects(overlay))).toEqual(expected);
    },
  );

  it('the component kubernetes-authorization sets authorization: kubernetes', async () => {
    const objects = withComponent('deployment', 'kubernetes-authorization');
    const { status, out } = await checkSettings(exporterOf(objects), configOf(objects));
    expect(status).toBe(0);
    expect(out).toContain('authorization: kubernetes');
  });

  it('kubernetes-authorization has a ServiceMonitor that sends a token, whether or not there is one', () => {
    const monitorsOf = (objects: readonly KubeObject[]) => objects.filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitorsOf(withComponent('deployment', 'kubernetes-authorization'))).toEqual([]);
    const objects = renderOptedIn('deployment', ['service-monitor', 'kubernetes-authorization']);
    expect(monitorsOf(objects).map((monitor) => listAt(monitor, 'spec', 'endpoints')[0]?.['bearerTokenFile'])).toEqual([
      '/var/run/secrets/kubernetes.io/serviceaccount/token',
    ]);
  });

  const [own = '', namespacePatch = '', autopilot = '', grant = '', agentPatches = '', shards = '', openShift = ''] =
    readmeBlocks('Your image, namespace and settings', 'yaml');

  it('manifests accept namespace, image and settings of another kustomization, as the README shows', async () => {
    const objects = renderOwn({ text: own + namespacePatch, config: 'cluster: {namespaces: [shop]}' });
    expect(policyFaults(objects)).toEqual([]);
    const namespaces = objects.map(({ metadata }) => metadata['namespace']).filter((name) => name !== undefined);
    expect(new Set(namespaces)).toEqual(new Set(['observability']));
    expect(objects.map(({ kind }) => kind)).toContain('ServiceMonitor');
    expect(objects.map(({ kind }) => kind)).not.toContain('Namespace');
    expect(exporterOf(objects)['image']).toBe('registry.example/ephemeral-storage-exporter:0.1.0');
    expect((await checkSettings(exporterOf(objects), configOf(objects))).out).toMatch(/namespaces:\s+- shop/);
  });

  it('manifests set the number of shards, as the README shows', () => {
    expect(shardsOf(overlayObjects('sharded'))).toEqual([3, '--total-shards=3']);
    const objects = renderOwn({ text: `resources: [MANIFESTS/overlays/sharded]\n${shards}` });
    expect(shardsOf(objects)).toEqual([5, '--total-shards=5']);
    // Without the scheme, which only exporters with TLS need.
    const further = [3, 4].map((ordinal) => `ephemeral-storage-exporter-${ordinal}:9797`);
    const [pods = '', ...others] = readerGrants('ephemeral-storage-exporter', 3).toReversed();
    expect(readerGrantsOf(objects).toReversed()).toEqual([[pods, ...further].join(' '), ...others]);
  });

  it('the agent adds to node-local the cgroups of the host, read-only, and nothing else, as the README shows', async () => {
    const objects = renderOwn({ text: `resources: [MANIFESTS/overlays/node-local]\n${agentPatches}` });
    expect(policyFaults(objects)).toEqual(agentFaults);
    expect(grantsOf(objects)).toEqual(leastGrants);
    const partsOf = (rendered: readonly KubeObject[]) => {
      const { env, volumeMounts, ...container } = exporterOf(rendered);
      const [{ volumes, ...pod } = {}] = workloadsOf(rendered).map((workload) => workload.pod);
      return {
        rest: [container, { ...pod, containers: [] }],
        lists: [listAt({ env }, 'env'), listAt({ volumeMounts }, 'volumeMounts'), listAt({ volumes }, 'volumes')],
      };
    };
    const [agent, plain] = [partsOf(objects), partsOf(overlayObjects('node-local'))];
    expect(agent.rest).toEqual(plain.rest);
    const added = [
      { name: 'EPHEMERAL_STORAGE_EXPORTER_AGENT_ENABLED', value: 'true' },
      { name: 'host-cgroup', mountPath: '/host/sys/fs/cgroup', readOnly: true },
      { name: 'host-cgroup', hostPath: { path: '/sys/fs/cgroup', type: 'Directory' } },
    ];
    expect(agent.lists).toEqual(
      plain.lists.map((list, index) => (index === 0 ? [...list, added[0]] : [added[index], ...list])),
    );
    expect((await checkSettings(exporterOf(objects), configOf(objects))).out).toMatch(/agent:\n +enabled: true\n/);
    const [namespace] = objects.filter(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata['labels']).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
  });

  it('manifests grant one permission more, and fit GKE Autopilot, as the README shows', () => {
    const objects = renderOwn({
      text: `resources: [MANIFESTS/overlays/deployment]\n${grant}${autopilot.replace('patches:\n', '')}`,
    });
    expect(policyFaults(objects)).toEqual([]);
    expect(grantsOf(objects)).toEqual(['get nodes/configz', ...leastGrants]);
    const { requests, limits } = exporterOf(objects)['resources'] as Json;
    expect([requests, limits]).toEqual(Array(2).fill({ cpu: '250m', memory: '512Mi', 'ephemeral-storage': '128Mi' }));
  });

  it.each(overlayNames)('the overlay %s leaves the user to OpenShift, as the README shows', (overlay) => {
    const objects = renderOwn({ text: `resources: [MANIFESTS/overlays/${overlay}]\n${openShift}` });
    const [pod] = workloadsOf(objects).map((workload) => workload.pod);
    expect(at(pod, 'securityContext')).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  });

  it('manifests take the image that the quick start sets', () => {
    const lines = readmeBlocks('Quick start', 'sh').flatMap((block) => block.split('\n'));
    const command = lines.find((line) => line.startsWith('sed'));
    const objects = renderChanged('sharded', (root) => {
      expect(spawnSync('sh', ['-c', command ?? 'false'], { cwd: root }).status).toBe(0);
    });
    expect(exporterOf(objects)['image']).toBe('REGISTRY/ephemeral-storage-exporter:0.1.0');
  });
});
