import { z } from 'zod';

import { list } from './collections.js';
import { boolean, choice, duration, integer, optionalInteger, optionalPath, optionalText, size } from './scalars.js';
import { mapped } from './setting.js';
import { isServerName, maxPort } from './values.js';

const tls = z
  .strictObject({
    caFile: optionalPath({
      help: "PEM file of the authorities that sign the kubelets' certificates. Empty: those of the API server.",
    }),
    certFile: optionalPath({ help: 'PEM file of the client certificate; goes with keyFile.' }),
    keyFile: optionalPath({ help: 'PEM file of the key of certFile.' }),
    serverName: optionalText({
      allowed: 'a DNS name, in which {node} stands for the name of the node',
      accepts: isServerName,
      help: "The name that a kubelet's certificate must be made out to; `{node}` stands for the node's name. Empty: the address that is dialled.",
    }),
    insecureSkipVerify: boolean({
      default: false,
      help: "Accept any certificate. Whoever can answer in a kubelet's place then sees the credentials.",
    }),
  })
  .prefault({});

export const kubelet = mapped(
  z.strictObject({
    access: choice({
      default: 'direct',
      among: ['direct', 'proxy'],
      help: 'Ask the kubelets themselves, or through the API server (`nodes/proxy`).',
    }),
    addressTypes: list({
      item: z.literal(['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS']),
      default: ['InternalIP', 'ExternalIP', 'Hostname'],
      minLength: 1,
      allowed: 'a list of at least one of InternalIP, ExternalIP, Hostname, InternalDNS and ExternalDNS',
      help: "Which of a node's addresses to use: the first type in this order that the node has.",
    }),
    port: optionalInteger({
      max: maxPort,
      zero: "for the port in the node's status",
      help: "The kubelets' port.",
    }),
    requestTimeout: duration({
      default: '10s',
      minMs: 10,
      maxMs: 600_000,
      help: 'Time limit of one request to a kubelet; below cache.ttl.',
    }),
    maxConcurrentRequests: integer({
      default: 64,
      min: 1,
      max: 10_000,
      help: 'Requests to kubelets that are under way at the same time, over all nodes.',
    }),
    maxBodySize: size({
      default: '64Mi',
      minBytes: 2 ** 10,
      maxBytes: 2 ** 28,
      help: 'Largest answer of a kubelet, decompressed; a larger one is a failed request.',
    }),
    readConfig: boolean({
      default: false,
      help: 'Read the configuration of each kubelet every 10 minutes, in the background, for `node_eviction_*`. It needs `get` on `nodes/configz`, which kubelets heed from Kubernetes 1.33 on, or on `nodes/proxy`.',
    }),
    bearerTokenFile: optionalPath({
      help: 'File with the token for the kubelets; read again as it is rotated. Empty: the credentials for the API server.',
    }),
    tls,
  }),
  ({ requestTimeout, maxBodySize, ...same }) => ({
    ...same,
    requestTimeoutMs: requestTimeout,
    maxBodyBytes: maxBodySize,
  }),
  ({ requestTimeoutMs, maxBodyBytes, ...same }) => ({
    ...same,
    requestTimeout: requestTimeoutMs,
    maxBodySize: maxBodyBytes,
  }),
).prefault({});
