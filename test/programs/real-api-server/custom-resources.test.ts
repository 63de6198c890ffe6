import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { everyValue } from '../../support/manifests/chart-values.js';
import type { Json, KubeObject } from '../../support/manifests/documents.js';
import { helmNames, type Mode, modes } from '../../support/manifests/helm.js';
import { canRender, renderOptedIn, renderOverlay } from '../../support/manifests/kustomize.js';
import { hasOperatorCrds, installOperatorCrds, monitoringResources } from '../../support/operator-crds.js';
import { isInstalled } from '../../support/programs.js';
import { hasRealApiServer, RealApiServer } from '../../support/real-api-server.js';
import { createAll, namespace } from './cluster-objects.js';
import { labelledObjects, titlesOf } from './labelled-objects.js';
import { pruneArguments } from './prune-arguments.js';
import { Release } from './release.js';

const enabled = { enabled: true };

/** Of a helm by mode, so that the other helm has the other kind. */
const monitors: readonly (readonly [string, string])[] = [
  ['ServiceMonitor', 'PodMonitor'],
  ['PodMonitor', 'ServiceMonitor'],
  ['ServiceMonitor', 'PodMonitor'],
];

/** Every value of monitors and rules. */
const valuesOf = (mode: Mode, kind = '', fullnameOverride = ''): Json => {
  const { kubernetesAuthorization, prometheusRule, tls, ...others } = everyValue(mode);
  const { targetLabels, ...monitor } = others['serviceMonitor'] as Json;
  const serviceMonitor = { ...monitor, kind, ...(kind === 'ServiceMonitor' && { targetLabels }) };
  return { mode, fullnameOverride, kubernetesAuthorization, prometheusRule, tls, serviceMonitor };
};

const canInstall = hasRealApiServer() && hasOperatorCrds() && canRender() && helmNames.every(isInstalled);

interface Spec {
  readonly title: string;
  readonly spec: unknown;
}

/** Of monitors and rules. */
const specsOf = (objects: readonly KubeObject[]): readonly Spec[] =>
  objects
    .filter(({ apiVersion }) => apiVersion === 'monitoring.coreos.com/v1')
    .map(({ kind, metadata, spec }) => ({ title: `${kind} ${String(metadata['namespace'])}/${metadata.name}`, spec }))
    .sort((a, b) => (a.title < b.title ? -1 : 1));

const list = (items: readonly KubeObject[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

describe.skipIf(!canInstall)(
  'monitors and rules (need api-server, CRDs of prometheus-operator, kubectl 1.27, helm3 and helm4)',
  () => {
    let server: RealApiServer;
    let releases: readonly Release[];
    beforeAll(async () => {
      server = await RealApiServer.start();
      releases = helmNames.map((helm) => new Release({ server, helm, namespace: `of-${helm}` }));
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
    });

    it('monitors and rules are refused by both helms without the CRDs, and nothing is installed', async () => {
      const results = await Promise.allSettled(releases.map((release) => release.apply({ serviceMonitor: enabled })));
      for (const result of results) {
        expect(String((result as PromiseRejectedResult).reason)).toMatch(
          /no matches for kind "ServiceMonitor" in version "monitoring.coreos.com\/v1"\s+ensure CRDs are installed first/,
        );
      }
      expect(labelledObjects(server)).toEqual([]);
    });

    describe('monitors and rules with the CRDs', () => {
      beforeAll(async () => {
        await installOperatorCrds(server, ['servicemonitors', 'podmonitors', 'prometheusrules']);
        await createAll(server, 'namespaces', [namespace('watched')]);
      });

      const labelled = (): readonly string[] => labelledObjects(server, { further: monitoringResources });
      const stored = (): readonly KubeObject[] => {
        const text = server.kubectl(['get', monitoringResources.join(), '-A', '-o', 'json']);
        return (JSON.parse(text) as { readonly items: readonly KubeObject[] }).items;
      };

      it('monitors and rules of the chart change in place with the mode, and are removed without a trace', async () => {
        for (const [index, mode] of modes.entries()) {
          const applied = releases.map((release, helm) =>
            release.apply(valuesOf(mode, monitors[index]?.[helm], helmNames[helm])),
          );
          const objects = (await Promise.all(applied)).flat();
          expect(labelled()).toEqual(titlesOf(objects));
          // As sent: the server drops fields that it does not know, and Helm 3 does not say so.
          expect(specsOf(stored())).toEqual(specsOf(objects));
          expect(specsOf(objects)).toHaveLength(4);
        }
        await Promise.all(releases.map((release) => release.uninstall()));
        expect(labelled()).toEqual([]);
      });

      it('monitors and rules of the overlays replace one another with --prune, and go with the components', () => {
        const prune = [
          ...pruneArguments(),
          ...['ServiceMonitor', 'PrometheusRule'].map((kind) => `--prune-allowlist=monitoring.coreos.com/v1/${kind}`),
        ];
        const opted = [
          renderOptedIn('node-local', ['service-monitor', 'prometheus-rule']),
          renderOptedIn('sharded', ['service-monitor']),
          renderOverlay('deployment'),
        ];
        for (const objects of opted) {
          server.kubectl([...prune, '--validate=strict'], list(objects));
          expect(labelled()).toEqual(titlesOf(objects));
          expect(specsOf(stored())).toEqual(specsOf(objects));
        }
      });

      it('monitors and rules with a misspelt field are refused by the API server', async () => {
        for (const object of renderOptedIn('deployment', ['service-monitor', 'prometheus-rule'])) {
          const [resource] = monitoringResources.filter((name) => name.startsWith(`${object.kind.toLowerCase()}s.`));
          if (resource === undefined) continue;
          const url = `/apis/monitoring.coreos.com/v1/namespaces/default/${resource.split('.')[0] ?? ''}`;
          const create = async (body: string): Promise<number> => {
            const answer = await server.call(`${url}?dryRun=All&fieldValidation=Strict`, { method: 'POST', body });
            return answer.status;
          };
          const text = JSON.stringify({ ...object, metadata: { name: 'any' } });
          expect(await create(text)).toBe(201);
          expect(await create(text.replace(/"(honorLabels|expr)"/, '"$1s"'))).toBe(400);
        }
      });
    });
  },
);
