/** The simulated cluster of the benchmark in a process of its own: answers {@link ClusterRequest}s of its parent. */
import process from 'node:process';

import { CertificateAuthority } from '../../../sim/certificates.js';
import { BenchApiServer } from './api-server.js';
import { ClusterState } from './cluster-state.js';
import { BenchKubelets } from './kubelets.js';
import type { ClusterAccess, ClusterCounts, ClusterRequest } from './protocol.js';

interface Cluster extends ClusterAccess {
  readonly state: ClusterState;
  readonly kubelets: BenchKubelets;
  readonly api: BenchApiServer;
}

const churnTickMs = 1_000;
let cluster: Cluster | undefined;
let churn: NodeJS.Timeout | undefined;

async function start(shape: { readonly nodeCount: number; readonly podsPerNode: number }): Promise<Cluster> {
  const authority = await CertificateAuthority.create();
  const keyPair = await authority.issueServer(['bench']);
  const state = new ClusterState(shape, Date.now());
  const kubelets = await BenchKubelets.start(state, keyPair);
  const api = await BenchApiServer.start(state, keyPair, kubelets.ports);
  return { state, kubelets, api, server: api.url, caPem: authority.certificate };
}

function setChurn({ kubelets }: Cluster, podsPerMinute: number): void {
  clearInterval(churn);
  let due = 0;
  if (podsPerMinute === 0) return;
  churn = setInterval(() => {
    due += (podsPerMinute * churnTickMs) / 60_000;
    const count = Math.floor(due);
    due -= count;
    kubelets.replacePods(count);
  }, churnTickMs);
}

function countsOf({ kubelets, api }: Cluster, reset: boolean): ClusterCounts {
  const { user, system } = process.cpuUsage();
  const counts = {
    ...kubelets.counts,
    apiRequests: Object.fromEntries(api.requestCounts),
    cpuMs: (user + system) / 1_000,
  };
  if (reset) kubelets.resetCounts();
  return counts;
}

async function answer(request: ClusterRequest): Promise<ClusterAccess | ClusterCounts | null> {
  if (request.do === 'start') {
    cluster = await start(request.shape);
    return { server: cluster.server, caPem: cluster.caPem };
  }
  if (cluster === undefined) throw new Error('the cluster has not been started');
  switch (request.do) {
    case 'churn':
      setChurn(cluster, request.podsPerMinute);
      return null;
    case 'modify':
      cluster.state.modify(request.count);
      await cluster.api.sent();
      return null;
    case 'pages':
      cluster.api.servesPagesOnly = request.isPaged;
      return null;
    case 'faults':
      cluster.kubelets.setFaults(request);
      return null;
    case 'counts':
      return countsOf(cluster, request.reset);
  }
}

process.on('message', (request: ClusterRequest) => {
  answer(request).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => {
  process.exit(0);
});
