import { spawnSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';

import { at, type KubeObject, listAt } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { canRender, renderChanged, renderOptedIn, renderOverlay, renderOwn } from '../support/manifests/kustomize.js';
import { hasOpenApi, ofKubernetes, openApiVersions, validate } from '../support/manifests/openapi.js';
import {
  type ComponentName,
  componentNames,
  expectedFaults,
  grantsOfComponent,
  leastGrants,
  misfit,
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
  componentNames.filter((name) => misfit(overlay, name) === undefined);

const pairs = overlayNames.flatMap((overlay) => componentNames.map((component) => ({ overlay, component })));

describe.skipIf(!canRender())('the rendered manifests (need kubectl 1.27)', () => {
  it.each(overlayNames)("the overlay %s follows the project's rules", async (overlay) => {
    const objects = overlayObjects(overlay);
    expect(policyFaults(objects)).toEqual(expectedFaults(overlay));
    expect(grantsOf(objects)).toEqual(leastGrants);
    const { status, error } = await checkSettings(exporterOf(objects), configOf(objects));
    expect([status, error.replace(/^warning: kubelet TLS verification is disabled.*\n/, '')]).toEqual([0, '']);
  });

  const fitting = pairs.filter(({ overlay, component }) => misfit(overlay, component) === undefined);
  it.each(fitting)('$overlay with $component grants only what is needed', ({ overlay, component }) => {
    const objects = withComponent(overlay, component);
    expect(objects.length).toBeGreaterThan(overlayObjects(overlay).length);
    expect(policyFaults(objects)).toEqual(expectedFaults(overlay));
    expect(grantsOf(objects)).toEqual([...leastGrants, ...(grantsOfComponent[component] ?? [])].sort());
  });

  it.each(overlayNames)('the overlay %s accepts all components that it offers, uncommented in place', (overlay) => {
    const components = componentsOf(overlay);
    const objects = renderOptedIn(overlay, components);
    expect(policyFaults(objects)).toEqual(expectedFaults(overlay));
    const grants = components.flatMap((name) => grantsOfComponent[name] ?? []);
    expect(grantsOf(objects)).toEqual([...leastGrants, ...grants].sort());
  });

  it.skipIf(!hasOpenApi())('overlays with all their components are valid for Kubernetes (needs kubeconform)', () => {
    const objects = ofKubernetes(overlayNames.flatMap((overlay) => renderOptedIn(overlay, componentsOf(overlay))));
    for (const version of openApiVersions()) expect(validate(version, objects).faults, version).toEqual([]);
  });

  it.each(pairs.filter(({ overlay, component }) => misfit(overlay, component) === 'selects nothing'))(
    '$overlay with $component would select nothing',
    ({ overlay, component }) => {
      expect(policyFaults(withComponent(overlay, component))).toEqual([expect.stringContaining('selects')]);
    },
  );

  it.each(pairs.filter(({ overlay, component }) => misfit(overlay, component) === 'settings contradict'))(
    '$overlay with $component would be rejected by the exporter',
    async ({ overlay, component }) => {
      const objects = withComponent(overlay, component);
      const { status, error } = await checkSettings(exporterOf(objects), configOf(objects));
      expect(status).toBe(1);
      expect(error).toMatch(/^kubelet\.tls\.insecureSkipVerify: .*kubelet\.access/);
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

  it.each([
    { component: 'node-proxy', setting: 'access: proxy' },
    { component: 'nodes-configz', setting: 'readConfig: true' },
    { component: 'kubernetes-authorization', setting: 'authorization: kubernetes' },
  ] as const)('the component $component sets $setting', async ({ component, setting }) => {
    const objects = withComponent('deployment', component);
    const { status, out } = await checkSettings(exporterOf(objects), configOf(objects));
    expect(status).toBe(0);
    expect(out).toContain(setting);
  });

  it('kubernetes-authorization has a ServiceMonitor that sends a token, whether or not there is one', () => {
    const monitorsOf = (objects: readonly KubeObject[]) => objects.filter(({ kind }) => kind === 'ServiceMonitor');
    expect(monitorsOf(withComponent('deployment', 'kubernetes-authorization'))).toEqual([]);
    const objects = renderOptedIn('deployment', ['service-monitor', 'kubernetes-authorization']);
    expect(monitorsOf(objects).map((monitor) => listAt(monitor, 'spec', 'endpoints')[0]?.['bearerTokenFile'])).toEqual([
      '/var/run/secrets/kubernetes.io/serviceaccount/token',
    ]);
  });

  const [own = '', namespacePatch = '', shards = '', openShift = ''] = readmeBlocks(
    'Your image, namespace and settings',
    'yaml',
  );

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

  it('the overlay node-local-agent adds to node-local the cgroups of the host, read-only, and nothing else', async () => {
    const partsOf = (overlay: OverlayName) => {
      const exporter = exporterOf(overlayObjects(overlay));
      const { env, volumeMounts, ...container } = exporter;
      const [pod] = workloadsOf(overlayObjects(overlay)).map((workload) => workload.pod);
      const mounts = [volumeMounts, at(pod, 'volumes')].map((list) => JSON.stringify(list));
      return { exporter, container, security: at(pod, 'securityContext'), mounts, env: JSON.stringify(env) };
    };
    const [agent, plain] = [partsOf('node-local-agent'), partsOf('node-local')];
    expect([agent.container, agent.security]).toEqual([plain.container, plain.security]);
    expect(agent.container['securityContext']).toMatchObject({ capabilities: { drop: ['ALL'] } });
    expect(agent.security).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532 });
    const added = [
      '{"mountPath":"/host/sys/fs/cgroup","name":"host-cgroup","readOnly":true}',
      '{"hostPath":{"path":"/sys/fs/cgroup","type":"Directory"},"name":"host-cgroup"}',
    ];
    expect(agent.mounts.map((text, index) => text.replace(`${added[index] ?? ''},`, ''))).toEqual(plain.mounts);
    expect(agent.mounts).not.toEqual(plain.mounts);
    expect((await checkSettings(agent.exporter, configOf(overlayObjects('node-local-agent')))).out).toMatch(
      /agent:\n +enabled: true\n/,
    );
    const [namespace] = overlayObjects('node-local-agent').filter(({ kind }) => kind === 'Namespace');
    expect(namespace?.metadata['labels']).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'privileged' });
  });

  const withAnyUser = overlayNames.filter((overlay) => expectedFaults(overlay).length === 0);
  it.each(withAnyUser)('the overlay %s leaves the user to OpenShift, as the README shows', (overlay) => {
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
