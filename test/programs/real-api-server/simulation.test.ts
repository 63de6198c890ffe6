import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { SimulatedCluster } from '../../../sim/cluster.js';
import { emptyScenario } from '../../../sim/model/scenario.js';
import { callApi } from '../../sim/wire.js';
import type { Json } from '../../support/manifests/documents.js';
import { hasRealApiServer, readerToken, RealApiServer } from '../../support/real-api-server.js';
import { answered, type Call, type Server, shapeOf } from './answer-shape.js';
import { createAll, namespace, node, pod } from './cluster-objects.js';

/** What `reader` may do in both. */
const readerRules = [
  { verbs: ['list'], resources: ['pods'] },
  { verbs: ['get'], resources: ['nodes'] },
];

const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const pods = '/api/v1/pods';
const review = (group: string, kind: string, spec: Json): Partial<Call> => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ apiVersion: `${group}/v1`, kind, spec }),
});
const tokenReviews = '/apis/authentication.k8s.io/v1/tokenreviews';
const accessReviews = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const selfReviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** `RV`: the version of a list of pods just before; `FUTURE`: a much later one; `TOKEN`: to continue a list of one pod. */
const calls: readonly Call[] = [
  // Lists.
  { path: pods },
  { path: '/api/v1/nodes' },
  { path: '/api/v1/namespaces/shop/pods' },
  { path: '/api/v1/namespaces/none/pods' },
  { path: `${pods}?resourceVersion=0` },
  { path: `${pods}?resourceVersion=0&limit=1` },
  { path: `${pods}?resourceVersion=RV` },
  { path: `${pods}?resourceVersion=RV&resourceVersionMatch=NotOlderThan` },
  { path: `${pods}?resourceVersion=RV&resourceVersionMatch=Exact` },
  { path: `${pods}?resourceVersion=RV&limit=1` },
  { path: `${pods}?limit=1` },
  { path: `${pods}?limit=2` },
  { path: `${pods}?limit=2&continue=TOKEN` },
  { path: `${pods}?limit=1&fieldSelector=spec.nodeName%3Dnode-1` },
  { path: `${pods}?labelSelector=app%3Dcart` },
  { path: `${pods}?labelSelector=app%20in%20(cart,web),app` },
  { path: `${pods}?fieldSelector=metadata.name%3Dcart-0,spec.nodeName!%3Dnode-2` },
  // Lists that are refused.
  { path: `${pods}?resourceVersion=FUTURE` },
  { path: `${pods}?resourceVersion=FUTURE&resourceVersionMatch=NotOlderThan` },
  { path: `${pods}?resourceVersion=x` },
  { path: `${pods}?resourceVersion=-1` },
  { path: `${pods}?resourceVersionMatch=Exact` },
  { path: `${pods}?resourceVersion=0&resourceVersionMatch=Exact` },
  { path: `${pods}?resourceVersion=RV&resourceVersionMatch=Newest` },
  { path: `${pods}?limit=x` },
  { path: `${pods}?limit=-1` },
  { path: `${pods}?continue=x` },
  { path: `${pods}?continue=TOKEN&resourceVersion=RV` },
  { path: `${pods}?labelSelector=app%20in%20(` },
  { path: `${pods}?labelSelector=%3D%3D` },
  { path: `${pods}?labelSelector=a%20b` },
  { path: `${pods}?fieldSelector=spec.nodeName` },
  { path: `${pods}?fieldSelector=spec.color%3Dred` },
  { path: '/api/v1/nodes?fieldSelector=spec.nodeName%3Dnode-1' },
  // Watches.
  { path: `${pods}?watch=true&resourceVersion=RV&timeoutSeconds=1` },
  { path: `${pods}?watch=1&timeoutSeconds=1` },
  { path: `${pods}?watch=true&resourceVersion=0&timeoutSeconds=1` },
  { path: `${pods}?watch=true&resourceVersion=1&timeoutSeconds=1` },
  { path: `${pods}?watch=true&resourceVersion=x&timeoutSeconds=1` },
  { path: `${pods}?watch=true&resourceVersion=RV&resourceVersionMatch=NotOlderThan&timeoutSeconds=1` },
  { path: `${pods}?watch=true&resourceVersion=RV&timeoutSeconds=x` },
  { path: `${pods}?watch=true&resourceVersion=RV&labelSelector=(&timeoutSeconds=1` },
  { path: `${pods}?watch=x&resourceVersion=RV&timeoutSeconds=1` },
  { path: `${pods}?watch=0&limit=1` },
  { path: `${pods}?watch=true&resourceVersion=0&timeoutSeconds=1`, headers: { Accept: table } },
  // Representations.
  { path: pods, headers: { Accept: table } },
  { path: pods, headers: { Accept: `${table},application/json` } },
  { path: pods, headers: { Accept: partial } },
  { path: '/api/v1/namespaces/shop/pods/cart-0', headers: { Accept: table } },
  { path: pods, headers: { Accept: 'text/html' } },
  { path: pods, headers: { Accept: 'application/json;drop=metadata.managedFields, application/json' } },
  { path: '/api/v1/nodes', headers: { 'Accept-Encoding': 'gzip' } },
  // Objects.
  { path: '/api/v1/namespaces/shop/pods/cart-0' },
  { path: '/api/v1/nodes/node-1' },
  { path: '/api/v1/namespaces/shop' },
  { path: '/api/v1/namespaces/shop/pods/none' },
  { path: '/api/v1/nodes/none' },
  // Methods and paths.
  { path: pods, method: 'HEAD' },
  { path: '/api/v1/nodes/node-1', method: 'HEAD' },
  { path: '/api/v1/nodes/none', method: 'HEAD' },
  { path: pods, method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' },
  { path: pods, method: 'PUT' },
  { path: pods, method: 'OPTIONS' },
  { path: '/api/v1/nodes/none/proxy/stats/summary' },
  { path: '/api/v1/things' },
  { path: '/api/v2/pods' },
  { path: '/apis/none.example/v1/things' },
  { path: '/none' },
  { path: '/version' },
  { path: '/healthz' },
  { path: '/livez' },
  { path: '/readyz' },
  { path: '/api' },
  // Who asks.
  { path: pods, as: 'nobody' },
  { path: pods, as: 'stranger' },
  { path: '/version', as: 'nobody' },
  { path: '/healthz', as: 'nobody' },
  { path: '/livez', as: 'nobody' },
  { path: '/readyz', as: 'nobody' },
  { path: '/api', as: 'nobody' },
  { path: pods, as: 'reader' },
  { path: `${pods}?watch=true`, as: 'reader' },
  { path: '/api/v1/nodes', as: 'reader' },
  { path: '/api/v1/nodes/node-1', as: 'reader' },
  { path: '/api/v1/nodes/node-1/proxy/stats/summary', as: 'reader' },
  { path: '/api/v1/namespaces/shop/pods/cart-0', as: 'reader' },
  { path: '/api/v1/namespaces/shop/pods/cart-0', as: 'reader', method: 'DELETE' },
  { path: '/apis', as: 'reader' },
  { path: '/none', as: 'reader' },
  // Reviews.
  { path: tokenReviews, ...review('authentication.k8s.io', 'TokenReview', { token: 'TOKEN_OF_READER' }) },
  { path: tokenReviews, ...review('authentication.k8s.io', 'TokenReview', { token: 'x' }) },
  { path: tokenReviews, ...review('authentication.k8s.io', 'TokenReview', { token: '' }) },
  { path: tokenReviews, ...review('authentication.k8s.io', 'TokenReview', { token: 'x' }), as: 'reader' },
  {
    path: accessReviews,
    ...review('authorization.k8s.io', 'SubjectAccessReview', {
      user: 'reader',
      nonResourceAttributes: { path: '/metrics', verb: 'get' },
    }),
  },
  {
    path: accessReviews,
    ...review('authorization.k8s.io', 'SubjectAccessReview', {
      user: 'reader',
      resourceAttributes: { verb: 'list', resource: 'pods' },
    }),
  },
  { path: accessReviews, ...review('authorization.k8s.io', 'SubjectAccessReview', {}) },
  {
    path: selfReviews,
    ...review('authorization.k8s.io', 'SelfSubjectAccessReview', {
      resourceAttributes: { verb: 'get', resource: 'nodes', subresource: 'stats' },
    }),
    as: 'reader',
  },
  { path: selfReviews, ...review('authorization.k8s.io', 'SelfSubjectAccessReview', {}), as: 'nobody' },
  { path: tokenReviews, method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' },
  { path: tokenReviews, method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{' },
  { path: tokenReviews },
  {
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    ...review('authentication.k8s.io', 'TokenRequest', { expirationSeconds: 600 }),
  },
  {
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    ...review('authentication.k8s.io', 'TokenRequest', { expirationSeconds: 5 }),
  },
  {
    path: '/api/v1/namespaces/default/serviceaccounts/default/token',
    ...review('authentication.k8s.io', 'TokenRequest', {}),
    as: 'reader',
  },
];

const nameOf = ({ method = 'GET', path, as = 'admin', headers, body }: Call): string =>
  [as, method, path, headers?.['Accept'] ?? '', headers?.['Content-Type'] === undefined ? '' : (body ?? '')]
    .filter((part) => part !== '')
    .join(' ');

describe.skipIf(!hasRealApiServer())(
  'the simulated API server answers as a real one (needs api-server and kubectl)',
  () => {
    let real: RealApiServer;
    let simulated: SimulatedCluster;
    let servers: readonly [real: Server, simulated: Server];
    beforeAll(async () => {
      real = await RealApiServer.start();
      await createAll(real, 'namespaces', [namespace('shop')]);
      await createAll(real, 'nodes', [node('node-1'), node('node-2')]);
      const names = ['cart-0', 'cart-1', 'cart-2'];
      for (const name of names) await createAll(real, 'pods', [pod(name, 'node-1', { app: 'cart' })]);
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
      await real.request('/api/v1/namespaces/default/serviceaccounts', { method: 'POST', body: account });
      real.kubectl(['create', 'clusterrole', 'reads-pods', '--verb=list', '--resource=pods']);
      real.kubectl(['create', 'clusterrole', 'reads-nodes', '--verb=get', '--resource=nodes']);
      for (const role of ['reads-pods', 'reads-nodes'])
        real.kubectl(['create', 'clusterrolebinding', role, `--clusterrole=${role}`, '--user=reader']);

      simulated = await SimulatedCluster.start({ scenario: emptyScenario('node-1', 'node-2') });
      for (const name of names) {
        simulated.model.addPod({
          namespace: 'shop',
          name,
          nodeName: 'node-1',
          labels: { app: 'cart' },
          containers: [{ name: 'main', rootfs: { initialBytes: 0 }, logs: { initialBytes: 0 } }],
        });
      }
      const reader = simulated.issueToken({ user: 'reader', rules: readerRules });
      servers = [
        { send: (path, options) => real.call(path, options), readerToken },
        { send: (path, options) => callApi(simulated, path, options), readerToken: reader },
      ];
    });
    afterAll(async () => {
      await simulated[Symbol.asyncDispose]();
      await real[Symbol.asyncDispose]();
    });

    it.each(calls.map((call) => [nameOf(call), call] as const))(
      'the simulated API server responds to %s as a real one',
      async (_name, call) => {
        const [expected, simulatedAnswer] = await Promise.all(servers.map((server) => answered(server, call)));
        expect(simulatedAnswer && shapeOf(simulatedAnswer)).toEqual(expected && shapeOf(expected));
      },
    );
  },
);
