import { describe, expect, it } from 'vitest';

import { at, type KubeObject } from '../support/manifests/documents.js';
import { checkSettings } from '../support/manifests/exporter-settings.js';
import { typeFaults } from '../support/manifests/kubernetes-types.js';
import { renderOptedIn, renderOver, renderOverlay } from '../support/manifests/kustomize.js';
import { otherTypeFaults } from '../support/manifests/other-types.js';
import {
  type ComponentName,
  componentNames,
  grantsOfComponent,
  isComplete,
  leastGrants,
  misfit,
  type OverlayName,
  overlayNames,
} from '../support/manifests/overlays.js';
import { configOf, exporterOf, grantsOf, policyFaults } from '../support/manifests/policies.js';
import { isInstalled } from '../support/programs.js';

function typeFaultsOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.flatMap((object) => typeFaults(object) ?? otherTypeFaults(object) ?? [`unknown kind ${object.kind}`]);
}

const withComponent = (overlay: OverlayName, component: ComponentName): readonly KubeObject[] =>
  renderOver(
    (manifests) =>
      `resources: [${manifests}/overlays/${overlay}]\ncomponents: [${manifests}/components/${component}]\n`,
  );

function shardsOf(objects: readonly KubeObject[]): readonly unknown[] {
  const [set] = objects.filter(({ kind }) => kind === 'StatefulSet');
  const { args } = exporterOf(objects);
  const [flag, ...others] = (Array.isArray(args) ? args.map(String) : []).filter((arg) => arg.includes('total-shards'));
  expect(others).toEqual([]);
  return [at(set, 'spec', 'replicas'), flag];
}

const pairs = overlayNames.flatMap((overlay) => componentNames.map((component) => ({ overlay, component })));

describe.skipIf(!isInstalled('kubectl'))('the rendered manifests (need kubectl)', () => {
  it.each(overlayNames)('of %s hold to the types of Kubernetes and to our own rules', (overlay) => {
    const objects = renderOverlay(overlay);
    expect(typeFaultsOf(objects)).toEqual([]);
    expect(policyFaults(objects)).toEqual([]);
    expect(grantsOf(objects)).toEqual(leastGrants);
    expect(checkSettings(exporterOf(objects), configOf(objects))).toMatchObject({ status: 0, error: '' });
  });

  const fitting = pairs.filter(({ overlay, component }) => misfit(overlay, component) === undefined);
  it.each(fitting.filter(({ component }) => isComplete(component)))(
    'of $overlay with $component do, too, and grant no more than that needs',
    ({ overlay, component }) => {
      const objects = withComponent(overlay, component);
      expect(objects.length).toBeGreaterThan(renderOverlay(overlay).length);
      expect(typeFaultsOf(objects)).toEqual([]);
      expect(policyFaults(objects)).toEqual([]);
      expect(grantsOf(objects)).toEqual([...leastGrants, ...(grantsOfComponent[component] ?? [])].sort());
    },
  );

  it.each(overlayNames)('of %s take all that they offer, uncommented in place', (overlay) => {
    const components = componentNames.filter((name) => misfit(overlay, name) === undefined && isComplete(name));
    const objects = renderOptedIn(overlay, components);
    expect(typeFaultsOf(objects)).toEqual([]);
    expect(policyFaults(objects)).toEqual([]);
    const grants = components.flatMap((name) => grantsOfComponent[name] ?? []);
    expect(grantsOf(objects)).toEqual([...leastGrants, ...grants].sort());
  });

  it.each(pairs.filter(({ overlay, component }) => misfit(overlay, component) === 'selects nothing'))(
    'of $overlay with $component would select nothing',
    ({ overlay, component }) => {
      expect(policyFaults(withComponent(overlay, component))).toEqual([expect.stringContaining('selects')]);
    },
  );

  it.each(pairs.filter(({ overlay, component }) => misfit(overlay, component) === 'settings contradict'))(
    'of $overlay with $component would be refused by the exporter itself',
    ({ overlay, component }) => {
      const objects = withComponent(overlay, component);
      const { status, error } = checkSettings(exporterOf(objects), configOf(objects));
      expect(status).toBe(1);
      expect(error).toMatch(/^kubelet\.tls\.insecureSkipVerify: .*kubelet\.access/);
    },
  );

  it.each([
    { component: 'node-proxy', setting: 'access: proxy' },
    { component: 'nodes-configz', setting: 'readConfig: true' },
  ] as const)('with $component set kubelet.$setting', ({ component, setting }) => {
    const objects = withComponent('deployment', component);
    const { status, out } = checkSettings(exporterOf(objects), configOf(objects));
    expect(status).toBe(0);
    expect(out).toContain(setting);
  });

  it('take the namespace, image and settings of a kustomization over them, each from one place', () => {
    const objects = renderOver(
      (manifests) => `
resources: [${manifests}/overlays/deployment]
components: [${manifests}/components/pod-monitor, ${manifests}/components/node-proxy]
namespace: observability
images: [{ name: ephemeral-storage-exporter, newName: registry.example/exporter, newTag: 1.2.3 }]
configMapGenerator:
  - name: ephemeral-storage-exporter
    behavior: replace
    literals: ['config.yaml={cluster: {namespaces: [shop]}}']
    options: { disableNameSuffixHash: true }
patches:
  - target: { kind: Namespace }
    patch: '{ $patch: delete, apiVersion: v1, kind: Namespace, metadata: { name: any } }'
`,
    );
    expect(policyFaults(objects)).toEqual([]);
    const namespaces = objects.map(({ metadata }) => metadata['namespace']).filter((name) => name !== undefined);
    expect(new Set(namespaces)).toEqual(new Set(['observability']));
    expect(objects.map(({ kind }) => kind)).not.toContain('Namespace');
    expect(exporterOf(objects)['image']).toBe('registry.example/exporter:1.2.3');
    expect(checkSettings(exporterOf(objects), configOf(objects)).out).toMatch(/namespaces:\s+- shop/);
  });

  it('tell the shards how many they are, however many', () => {
    expect(shardsOf(renderOverlay('sharded'))).toEqual([3, '--total-shards=3']);
    const objects = renderOver(
      (manifests) => `
resources: [${manifests}/overlays/sharded]
replicas: [{ name: ephemeral-storage-exporter, count: 5 }]
transformers: [${manifests}/overlays/sharded/total-shards]
`,
    );
    expect(shardsOf(objects)).toEqual([5, '--total-shards=5']);
  });
});
