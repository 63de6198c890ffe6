import * as z from 'zod/mini';

import { list } from './collections.js';
import { boolean, choice, duration, integer, optionalInteger, optionalPath, optionalText, size } from './scalars.js';
import { section } from './setting.js';
import { isServerName, maxPort } from './values.js';

const tls = section({
  caFile: optionalPath({
    help: "PEM file with the certificate authorities of the kubelets' certificates. Empty: those of the API server.",
  }),
  certFile: optionalPath({ help: 'PEM file with the client certificate. Requires keyFile.' }),
  keyFile: optionalPath({ help: 'PEM file with the private key of certFile.' }),
  serverName: optionalText({
    allowed: 'a DNS name, where {node} stands for the name of the node',
    accepts: isServerName,
    help: "Name that a kubelet's certificate must be valid for; `{node}` stands for the node's name. Empty: the address of the connection.",
  }),
  insecureSkipVerify: boolean({
    default: false,
    help: 'Disable the verification of kubelet certificates. A machine in the middle can then read the credentials.',
  }),
});

export const kubelet = section({
  access: choice({
    default: 'direct',
    among: ['direct', 'proxy'],
    help: 'How to reach the kubelets: directly, or through the API server (`nodes/proxy`).',
  }),
  addressTypes: list({
    item: z.literal(['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS']),
    default: ['InternalIP', 'ExternalIP', 'Hostname'],
    minLength: 1,
    allowed: 'a list of at least one of InternalIP, ExternalIP, Hostname, InternalDNS and ExternalDNS',
    help: 'Types of node addresses in order of preference. The first type that a node has is used.',
  }),
  port: optionalInteger({
    max: maxPort,
    zero: "for the port in the node's status",
    help: 'Port of the kubelets.',
  }),
  requestTimeout: duration({
    default: '10s',
    minMs: 10,
    maxMs: 600_000,
    help: 'Time limit of a request to a kubelet. Must be less than cache.ttl; the default is four fifths of a cache.ttl of 10s and less.',
  }),
  maxConcurrentRequests: integer({
    default: 64,
    min: 1,
    max: 10_000,
    help: 'Maximum number of concurrent requests to kubelets, over all nodes.',
  }),
  maxBodySize: size({
    default: '8Mi',
    minBytes: 2 ** 10,
    maxBytes: 2 ** 28,
    help: 'Maximum size of a summary, decompressed. Larger ones fail with reason too_large. The default holds about 1,700 pods of two containers (5 kB each): raise it for nodes with more pods or containers. Summaries also fail with more than 3,000 pods, whatever the setting.',
  }),
  readConfig: boolean({
    default: false,
    help: "Read each kubelet's configuration every 10 minutes in the background: eviction thresholds for the families `node_eviction_*`, and log rotation for findings. Requires the permission to get `nodes/configz` (kubelets check it from Kubernetes 1.33 on) or `nodes/proxy`.",
  }),
  bearerTokenFile: optionalPath({
    help: 'File with the bearer token for the kubelets, read again when it is rotated. Empty: the credentials for the API server.',
  }),
  tls,
});
