/**
 * Every setting: its place, kind, default, range and help. The names of environment variables and flags, the output
 * of `check-config` and the table in docs/settings.md are derived from it.
 */
import * as z from 'zod/mini';

import { isDnsName } from '../cluster/kube/selector-parser.js';
import { list, namespaces, selector, selectorValue } from './collections.js';
import { kubelet } from './kubelet-schema.js';
import { metrics } from './metrics-schema.js';
import {
  boolean,
  choice,
  derivedInteger,
  duration,
  integer,
  onOff,
  optionalPath,
  optionalText,
  text,
} from './scalars.js';
import { isServedPath } from './served-paths.js';
import { refuse, section } from './setting.js';
import { formatListenAddress, isUrlPath, type ListenAddress, parseListenAddress } from './values.js';
import { betweenLinks, webLink } from './web-link.js';
import { workloads } from './workloads-schema.js';

/** Virtual kubelets, nodes of Liqo and KWOK, and Fargate, where a pod does not reach its own kubelet. */
export const skippedByDefault: readonly string[] = [
  'type=virtual-kubelet',
  'liqo.io/type=virtual-node',
  'type=kwok',
  'eks.amazonaws.com/compute-type=fargate',
];

/** More than any cluster needs: one exporter measures thousands of nodes. */
const maxShards = 1000;

const cluster = section({
  nodeSelector: selector({ help: 'Label selector of the nodes to scrape; the API server applies it. Empty: all.' }),
  namespaces: namespaces({
    help: 'Namespaces whose pods are read. Empty: all, which requires a ClusterRole. The own one alone: the environment variable, from the field metadata.namespace.',
  }),
  podSelector: selector({ help: 'Label selector of the pods to read. Empty: all.' }),
  skipNodes: list({
    item: selectorValue(),
    default: [...skippedByDefault],
    separator: ';',
    allowed: 'a list (as text separated by ";") of label selectors such as type=virtual-kubelet',
    help: 'Label selectors of nodes that serve no summaries. A node that matches any of them is never scraped. A comma does not separate selectors: of `a=b,c=d` both must hold.',
  }),
  nodeLocal: boolean({
    default: false,
    help: 'Measure a single node, as in a DaemonSet: that of --node, else $NODE_NAME, else the node whose label kubernetes.io/hostname is the name of this host. Workloads without pods on this node are not exposed.',
  }),
  node: optionalText({
    accepts: isDnsName,
    allowed: 'the name of a node (lower-case letters, digits, "-" and ".", at most 253)',
    flag: 'node',
    help: 'The only node to measure. Implies `cluster.nodeLocal`.',
  }),
  shard: derivedInteger({
    defaultText: 'the number at the end of the host name, as in a StatefulSet',
    min: 0,
    max: maxShards - 1,
    flag: 'shard',
    help: 'The shard of nodes to measure: a number from 0, less than --total-shards.',
  }),
  totalShards: integer({
    default: 1,
    min: 1,
    max: maxShards,
    flag: 'total-shards',
    help: 'The number of exporters that divide the nodes among themselves, by a hash of the node name. 1: a single exporter measures all nodes.',
  }),
});

const cache = section({
  ttl: duration({
    default: '55s',
    minMs: 100,
    maxMs: 3_600_000,
    zero: 'to disable caching',
    help: "How long a node's summary is fresh. Each kubelet is scraped at most once in this time, even when it fails, except for cache.nearTtl. Its last summary is served until it is twice as old. From 100 nodes on kubelets are scraped in the background, spread over this time, while scrapes of the exporter keep coming.",
  }),
  nearTtl: duration({
    default: '10s',
    minMs: 100,
    maxMs: 3_600_000,
    zero: 'for the same as cache.ttl',
    help: 'The same, at most cache.ttl, for nodes on which containers have started or died since (a hundred at once, and ten more in each second), and in the background for those that may soon evict a pod (a tenth of the nodes, at least ten and at most a hundred): one is at 80 % of a limit, or would reach one within two cache.ttl at its last growth, or the disk is close to an eviction threshold. A kubelet that fails is left alone for cache.ttl.',
  }),
  maxBackoff: duration({
    default: '5m',
    minMs: 1000,
    maxMs: 86_400_000,
    nonPositiveMs: 300_000,
    help: 'Longest back-off of a workload that could not be collected.',
  }),
});

const scrape = section({
  timeoutOffset: duration({
    default: '500ms',
    minMs: 1,
    maxMs: 60_000,
    zero: 'for none',
    help: "Time subtracted from the scraper's timeout, so that the response arrives before it.",
  }),
  defaultTimeout: duration({
    default: '10s',
    minMs: 100,
    maxMs: 60_000,
    help: 'Time limit of a scrape whose request does not name a timeout. No scrape takes more than 1m.',
  }),
  maxInFlight: integer({
    default: 20,
    min: 1,
    max: 1000,
    help: 'Maximum number of scrapes that are collected and rendered at the same time. Further ones are rejected with status 503. Clients that read slowly do not count.',
  }),
});

const listenAddress = z.codec(z.string(), z.custom<ListenAddress>(), {
  decode: (raw, payload) => parseListenAddress(raw) ?? refuse(payload),
  encode: formatListenAddress,
});

const web = section({
  listenAddresses: list({
    item: listenAddress,
    default: [':9797'],
    minLength: 1,
    allowed: 'a list of at least one address such as :9797, 127.0.0.1:9797, localhost:9797 or [::1]:9797',
    flag: 'web.listen-address',
    help: 'Addresses to listen on. Without a host: all addresses of the machine.',
  }),
  telemetryPath: text({
    default: '/metrics',
    accepts: (path) => isUrlPath(path) && !isServedPath(path),
    allowed:
      'a path such as /metrics, of letters, digits, "-", ".", "_" and "~", without "/" at the end, that no page, probe or part of the API has',
    flag: 'web.telemetry-path',
    help: 'Path of the metrics.',
  }),
  configFile: optionalPath({
    flag: 'web.config.file',
    help: "File with TLS, passwords and headers, in the format of Prometheus' exporter-toolkit.",
  }),
  authorization: choice({
    default: 'none',
    among: ['none', 'kubernetes'],
    help: 'Whether requests need a token of the cluster whose user may `get` the path, as RBAC grants it with `nonResourceURLs`. Probes need none. Requires the permission to create `tokenreviews` and `subjectaccessreviews`.',
  }),
  status: onOff({
    default: 'on',
    help: 'Whether the status page and `/api/v1/` are served. They show the same names as the metrics, and the settings.',
  }),
  enableLifecycle: boolean({
    default: false,
    flag: 'web.enable-lifecycle',
    help: 'Enable POST /-/reload, which reloads the configuration file.',
  }),
  clusterName: optionalText({
    accepts: (name) => name.trim() === name,
    allowed: 'a name without blanks around it',
    flag: 'web.cluster-name',
    help: 'Name of the cluster on the status page. Without one, the page shows the address of the API server.',
  }),
  links: list({
    item: webLink,
    default: [],
    separator: betweenLinks,
    allowed:
      'a list (as text separated by ";") of links such as Grafana=https://grafana.example.com/d/ephemeral-storage-overview, with http or https and without a password',
    help: 'Links on the pages, for example to dashboards. `{cluster}`, `{namespace}`, `{pod}`, `{node}` and `{workload}` in it become the names of what a page shows, percent-encoded; the link is then on the pages that have all of its names.',
  }),
});

const agent = section({
  enabled: boolean({
    default: false,
    help: 'Read on the node itself what the kernel counts for each pod: `pod_io_written_bytes_total` and, in the full profile, `pod_cgroup_*`. Requires `cluster.nodeLocal` or --node, and `/sys/fs/cgroup` of the host, which the chart mounts with `agent.enabled`.',
  }),
  sampleInterval: duration({
    default: '0s',
    minMs: 50,
    maxMs: 10_000,
    zero: 'for never',
    help: 'How often pods younger than a minute are sampled between scrapes: their peaks of memory and processes, which `pod_cgroup_memory_bytes` and `pod_cgroup_pids` in the full profile then have for pods too that have ended since the last scrape.',
  }),
});

const log = section({
  level: choice({
    default: 'info',
    among: ['debug', 'info', 'warn', 'error'],
    flag: 'log.level',
    help: 'Lowest level to log.',
  }),
  format: choice({
    default: 'logfmt',
    among: ['json', 'logfmt'],
    flag: 'log.format',
    help: 'Format of log lines.',
  }),
});

const evictions = section({
  retention: duration({
    default: '24h',
    minMs: 60_000,
    maxMs: 604_800_000,
    help: 'How long an eviction is listed, of the last thousand: on the status page, in the API and in `file`; as `pod_evicted_*` series for an hour at most. Counters are not affected.',
  }),
  file: optionalPath({
    mustBeAbsolute: true,
    help: 'File in which evictions outlive a restart of the container, up to 8 MiB: on a volume that the exporter may write, such as an emptyDir. The manifests and the Helm chart set it. Empty: a restart forgets what evicted pods used.',
  }),
});

const attribution = choice({
  default: 'measured',
  among: ['measured', 'even'],
  help: "How a pod's bytes are attributed to its containers: each container's own files and a share of the rest, or equal parts of the total.",
});

/** All settings. `z.decode` gives the effective settings, `z.encode` the form that people write. */
export const schema = z.strictObject({
  cluster,
  kubelet,
  cache,
  workloads,
  attribution,
  evictions,
  metrics,
  scrape,
  web,
  agent,
  log,
});

/** Settings of one process alone. Flags and environment variables set them; processes share their file, which does not have them. */
export const processSettings: readonly string[] = [
  'cluster.node',
  'cluster.shard',
  'cluster.totalShards',
  'web.listenAddresses',
  'web.telemetryPath',
  'web.configFile',
  'web.enableLifecycle',
];

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The effective settings: durations in milliseconds, sizes in bytes, undefined for settings without a value. Frozen. */
export type Config = DeepReadonly<z.output<typeof schema>>;
