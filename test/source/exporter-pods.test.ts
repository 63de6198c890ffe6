import { expect, it } from 'vitest';

import type { ApiRequest, ApiTransport } from '../../src/cluster/http/api-client.js';
import { exporterPods, listExporters, nodeOfPod } from '../../src/serve/source/exporter-pods.js';
import { never } from '../support/signals.js';

/** Answers a path with its object. */
function anApi(objects: Readonly<Record<string, unknown>>): ApiTransport & { readonly requests: ApiRequest[] } {
  const requests: ApiRequest[] = [];
  return {
    requests,
    open: (request) => {
      requests.push(request);
      const object = objects[request.path];
      if (object === undefined) throw new Error(`nothing at ${request.path}`);
      return Promise.resolve(chunk(typeof object === 'string' ? object : JSON.stringify(object)));
    },
  };
}

async function* chunk(text: string): AsyncIterable<Buffer> {
  await Promise.resolve();
  yield Buffer.from(text);
}

const service = (namespace: string, name: string, ...ports: readonly string[]) => ({
  metadata: { namespace, name },
  spec: { ports: ports.map((port) => ({ name: port, port: 9797 })) },
});

it('the exporters are the Services with the label and a port for metrics, by name', async () => {
  const items = [
    service('web', 'b', 'metrics'),
    service('monitoring', 'exporter', 'web', 'metrics'),
    service('monitoring', 'other', 'web'),
    service('web', 'a', 'metrics'),
    { metadata: {}, spec: { ports: [{ name: 'metrics' }] } },
  ];
  const api = anApi({ '/api/v1/services': { items } });
  expect(await listExporters(api, undefined, never)).toEqual([
    { namespace: 'monitoring', service: 'exporter', port: 'metrics' },
    { namespace: 'web', service: 'a', port: 'metrics' },
    { namespace: 'web', service: 'b', port: 'metrics' },
  ]);
  expect(api.requests[0]?.query).toMatchObject({ labelSelector: 'app.kubernetes.io/name=ephemeral-storage-exporter' });
});

it('the exporters of one namespace are listed there', async () => {
  const api = anApi({ '/api/v1/namespaces/shop/services': { items: [service('shop', 'a', 'metrics')] } });
  expect(await listExporters(api, 'shop', never)).toEqual([{ namespace: 'shop', service: 'a', port: 'metrics' }]);
});

it('lists of several pages are read to their end', async () => {
  const requests: ApiRequest[] = [];
  const open = (request: ApiRequest) => {
    requests.push(request);
    const page = Number(request.query?.['continue'] ?? 0);
    const items = [service('shop', `service-${page}`, 'metrics')];
    return Promise.resolve(chunk(JSON.stringify({ items, metadata: page < 2 ? { continue: String(page + 1) } : {} })));
  };
  const names = (await listExporters({ open }, undefined, never)).map((one) => one.service);
  expect(names).toEqual(['service-0', 'service-1', 'service-2']);
  expect(requests.map(({ query }) => [query?.['labelSelector'], query?.['limit']])).toEqual(
    Array(3).fill(['app.kubernetes.io/name=ephemeral-storage-exporter', '500']),
  );
});

it('a list that never ends is an error', async () => {
  const api = anApi({ '/api/v1/services': { items: [], metadata: { continue: 'same' } } });
  await expect(listExporters(api, undefined, never)).rejects.toThrow('GET /api/v1/services: the list does not end');
  expect(api.requests).toHaveLength(2);
});

interface PodFields {
  readonly ready?: string;
  readonly ports?: readonly object[];
  readonly nodeName?: string;
}

const pod = (
  name: string,
  { ready = 'True', ports = [{ name: 'web', containerPort: 9797 }], nodeName }: PodFields = {},
) => ({
  metadata: { namespace: 'shop', name },
  spec: { nodeName, containers: [{ ports: [] }, { ports }] },
  status: {
    conditions: [
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: ready },
    ],
  },
});

const found = { namespace: 'shop', service: 'exporter', port: 'metrics' };

async function podsOf(targetPort: unknown, pods: readonly object[], { port = 'metrics', node = '' } = {}) {
  const spec = { selector: { app: 'exporter', tier: 'x' }, ports: [{ name: 'metrics', port: 80, targetPort }] };
  const api = anApi({
    '/api/v1/namespaces/shop/services/exporter': { spec },
    '/api/v1/namespaces/shop/pods': { items: pods },
  });
  const result = await exporterPods(api, { ...found, port }, never, node === '' ? undefined : node);
  return { result, query: api.requests[1]?.query };
}

it('the pods of an exporter are those that its Service selects, by name', async () => {
  const { result, query } = await podsOf('web', [pod('b', { nodeName: 'node-2' }), pod('a', { nodeName: 'node-1' })]);
  expect(result).toEqual([
    { namespace: 'shop', name: 'a', port: 9797 },
    { namespace: 'shop', name: 'b', port: 9797 },
  ]);
  expect(query).toEqual({ labelSelector: 'app=exporter,tier=x', limit: '500' });
});

it('of the pods of an exporter on each node, that of one node alone is requested', async () => {
  const { query } = await podsOf('web', [pod('a')], { node: 'node-2500' });
  expect(query).toMatchObject({ labelSelector: 'app=exporter,tier=x', fieldSelector: 'spec.nodeName=node-2500' });
});

it.each([
  ['a name of a port of the pod', 'web', 'metrics', 9797],
  ['a number', 8080, 'metrics', 8080],
  ['nothing: it is the port of the Service', undefined, 'metrics', 80],
  ['a name, and the port of the Service is given as a number', 'web', '80', 9797],
])('the port of a pod is found by %s', async (_what, targetPort, port, expected) => {
  const { result } = await podsOf(targetPort, [pod('a')], { port });
  expect(result).toMatchObject([{ name: 'a', port: expected }]);
});

it.each([
  ['is not ready', 'web', { ready: 'False' }],
  ['has no port of the name', 'web', { ports: [{ name: 'metrics', containerPort: 9797 }] }],
  ['has no ports', 'web', { ports: [] }],
])('a pod that %s is left out', async (_what, targetPort, fields) => {
  expect((await podsOf(targetPort, [pod('a', fields), pod('b')])).result).toMatchObject([{ name: 'b' }]);
});

it('the node of a pod is that of its spec, if it is on one', async () => {
  const api = anApi({
    '/api/v1/namespaces/shop/pods/cart-0': pod('cart-0', { nodeName: 'node-1' }),
    '/api/v1/namespaces/shop/pods/cart-1': pod('cart-1'),
  });
  expect(await nodeOfPod(api, { namespace: 'shop', name: 'cart-0' }, never)).toBe('node-1');
  expect(await nodeOfPod(api, { namespace: 'shop', name: 'cart-1' }, never)).toBeUndefined();
});

it.each([
  ['<html>', 'decode', 'GET /api/v1/services: not JSON'],
  [`"${'x'.repeat(16 * 2 ** 20)}"`, 'too_large', 'GET /api/v1/services: more than 16777216 bytes'],
])('an answer about Services that is no use is an error (%#)', async (text, reason, message) => {
  await expect(listExporters(anApi({ '/api/v1/services': text }), undefined, never)).rejects.toMatchObject({
    reason,
    message,
  });
});
