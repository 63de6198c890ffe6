/**
 * The scenario of the demo in a real API server with simulated kubelets, until it is ended. Prints the path of its kubeconfig
 * and that of the authority of the kubelets. Needs `api-server` of `.ci/build-programs modules-kubernetes`.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import process from 'node:process';

import { RealCluster } from '../test/support/real-cluster.js';

const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
await using cluster = await RealCluster.start();
const { server, simulated } = cluster;
const kubeletCa = server.file('kubelets.crt');
await writeFile(kubeletCa, simulated.caPem);
process.stdout.write(`kubeconfig   ${server.kubeconfig}\nkubelet-ca   ${kubeletCa}\n`);
await stopped;
