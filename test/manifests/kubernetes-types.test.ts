import { describe, expect, it } from 'vitest';

import type { Json } from '../support/manifests/documents.js';
import { typeFaults } from '../support/manifests/kubernetes-types.js';

interface Planted {
  readonly what: string;
  readonly spec: Json;
  readonly fault: string;
}

const selector = { matchLabels: { app: 'a' } };

const deployment = (podSpec: Json, spec: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', labels: { app: 'a' } },
  spec: { selector, template: { spec: { containers: [], ...podSpec } }, ...spec },
});

const container = (fields: Json): Json => deployment({ containers: [{ name: 'c', ...fields }] });

describe('the check against the types of Kubernetes', () => {
  it('accepts a valid object', () => {
    const sound = container({
      image: 'i',
      ports: [{ name: 'metrics', containerPort: 9797 }],
      env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      livenessProbe: { httpGet: { path: '/', port: 'metrics' }, periodSeconds: 5 },
      resources: { limits: { memory: '1Gi' } },
    });
    expect(typeFaults(sound)).toEqual([]);
  });

  it.each<Planted>([
    {
      what: 'an unknown field at the top',
      spec: { ...deployment({}), specs: {} },
      fault: '.specs: unknown field of V1Deployment',
    },
    {
      what: 'a typo in the spec',
      spec: deployment({}, { replica: 1 }),
      fault: '.spec.replica: unknown field of V1DeploymentSpec',
    },
    { what: 'a number as text', spec: deployment({}, { replicas: '1' }), fault: '.spec.replicas: "1" is not a number' },
    {
      what: 'a typo in the pod',
      spec: deployment({ serviceAcountName: 'a' }),
      fault: '.spec.template.spec.serviceAcountName: unknown field of V1PodSpec',
    },
    {
      what: 'a typo in a list in a list',
      spec: container({ ports: [{ containerPort: 1, protocl: 'TCP' }] }),
      fault: '.spec.template.spec.containers[0].ports[0].protocl: unknown field of V1ContainerPort',
    },
    {
      what: 'a number where the environment wants text',
      spec: container({ env: [{ name: 'A', value: 3 }] }),
      fault: '.spec.template.spec.containers[0].env[0].value: 3 is not a string',
    },
    {
      what: 'a boolean as text',
      spec: container({ securityContext: { runAsNonRoot: 'true' } }),
      fault: '.spec.template.spec.containers[0].securityContext.runAsNonRoot: "true" is not a boolean',
    },
    {
      what: 'a value in a mapping of the wrong type',
      spec: container({ resources: { limits: { cpu: 1 } } }),
      fault: '.spec.template.spec.containers[0].resources.limits[cpu]: 1 is not a string',
    },
    {
      what: 'a mapping where a list belongs',
      spec: deployment({ containers: { name: 'c' } }),
      fault: '.spec.template.spec.containers: {"name":"c"} is not a list',
    },
    {
      what: 'a port that is neither number nor name',
      spec: container({ livenessProbe: { httpGet: { port: true } } }),
      fault: '.spec.template.spec.containers[0].livenessProbe.httpGet.port: true is not a number or string',
    },
    {
      what: 'a missing field that is required',
      spec: deployment({ containers: [{ image: 'i' }] }),
      fault: '.spec.template.spec.containers[0].name: missing',
    },
    {
      what: 'nothing where a mapping belongs',
      spec: { ...deployment({}), metadata: null },
      fault: '.metadata: null is not a mapping',
    },
  ])('finds $what', ({ spec, fault }) => {
    expect(typeFaults(spec)).toEqual([fault]);
  });

  it('accepts a patch without required fields or with deletions, and finds its typos', () => {
    const patch = deployment({ containers: [{ $patch: 'delete', ports: null }] });
    expect(typeFaults(patch, { isPatch: true })).toEqual([]);
    expect(typeFaults(patch)).not.toEqual([]);
    expect(typeFaults(container({ commands: [] }), { isPatch: true })).toHaveLength(1);
  });

  it('skips kinds without a known type', () => {
    expect(typeFaults({ apiVersion: 'apps/v1beta1', kind: 'Deployment' })).toBeUndefined();
  });
});
