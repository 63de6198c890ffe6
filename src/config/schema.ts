/**
 * Every setting: its place, type, default, range and help. The names of environment variables and flags, the output
 * of `check-config` and the table in the README all come from here.
 */
import { z } from 'zod';

import { list, namespaces, selector, selectorValue } from './collections.js';
import { kubelet } from './kubelet-schema.js';
import { metrics } from './metrics-schema.js';
import { boolean, choice, derivedInteger, duration, integer, optionalText, text } from './scalars.js';
import { mapped, refuse } from './setting.js';
import { formatListenAddress, isNodeName, isUrlPath, type ListenAddress, parseListenAddress } from './values.js';
import { workloads } from './workloads-schema.js';

/** More than enough: one exporter measures thousands of nodes. */
const maxShards = 1000;

const cluster = z
  .strictObject({
    nodeSelector: selector({ help: 'The nodes to ask. Empty: all.' }),
    namespaces: namespaces({
      help: 'The namespaces whose pods are read. Empty: all, which needs a ClusterRole.',
    }),
    podSelector: selector({ help: 'The pods to read. Empty: all.' }),
    skipNodes: list({
      item: selectorValue(),
      default: ['type=virtual-kubelet', 'eks.amazonaws.com/compute-type=fargate'],
      separator: ';',
      allowed: 'a list (in the environment separated by ";") of label selectors such as type=virtual-kubelet',
      help: 'Nodes that serve no summaries; a node that matches any of these is never asked.',
    }),
    nodeLocal: boolean({
      default: false,
      help: 'Measure one node alone, as a DaemonSet does: `cluster.node`, else $NODE_NAME, else the node whose label kubernetes.io/hostname is the name of this host. Workloads without pods on it are not served.',
    }),
    node: optionalText({
      accepts: isNodeName,
      allowed: 'the name of a node (lower-case letters, digits, "-" and ".", at most 253)',
      flag: 'node',
      help: 'The only node to measure; switches `cluster.nodeLocal` on.',
    }),
    shard: derivedInteger({
      defaultText: 'the number at the end of the host name, as pods of a StatefulSet have it',
      min: 0,
      max: maxShards - 1,
      flag: 'shard',
      help: 'Which of `cluster.totalShards` parts of the nodes to measure, from 0; below `cluster.totalShards`.',
    }),
    totalShards: integer({
      default: 1,
      min: 1,
      max: maxShards,
      flag: 'total-shards',
      help: 'How many exporters share the nodes among them, by a hash of their names. 1: one exporter measures all.',
    }),
  })
  .prefault({});

const cache = mapped(
  z.strictObject({
    ttl: duration({
      default: '55s',
      minMs: 100,
      maxMs: 3_600_000,
      zero: 'to switch caching off',
      help: "How long a node's summary is fresh. A kubelet is asked at most once in this time, also when it fails; up to twice this age its last answer is still served.",
    }),
    maxBackoff: duration({
      default: '5m',
      minMs: 1000,
      maxMs: 86_400_000,
      nonPositiveMs: 300_000,
      help: 'Longest pause before a workload that could not be collected is tried again.',
    }),
    refresh: choice({
      default: 'on-scrape',
      among: ['on-scrape', 'ahead'],
      help: 'Ask the kubelets when a scrape needs them, or ahead of the scrapes, spread over cache.ttl.',
    }),
  }),
  ({ ttl, maxBackoff, ...same }) => ({ ...same, ttlMs: ttl, maxBackoffMs: maxBackoff }),
  ({ ttlMs, maxBackoffMs, ...same }) => ({ ...same, ttl: ttlMs, maxBackoff: maxBackoffMs }),
).prefault({});

const scrape = mapped(
  z.strictObject({
    timeoutOffset: duration({
      default: '500ms',
      minMs: 1,
      maxMs: 60_000,
      zero: 'for none',
      help: "What is taken off the scraper's time limit, so that the answer arrives within it.",
    }),
    defaultTimeout: duration({
      default: '10s',
      minMs: 100,
      maxMs: 600_000,
      help: 'Time limit of a scrape that states none.',
    }),
    maxDuration: duration({
      default: '1m',
      minMs: 100,
      maxMs: 600_000,
      help: 'Longest time limit of a scrape, whatever the scraper states.',
    }),
    maxInFlight: integer({
      default: 20,
      min: 1,
      max: 1000,
      help: 'Scrapes under way at the same time; more are answered with 503.',
    }),
  }),
  ({ timeoutOffset, defaultTimeout, maxDuration, maxInFlight }) => ({
    timeoutOffsetMs: timeoutOffset,
    defaultTimeoutMs: defaultTimeout,
    maxDurationMs: maxDuration,
    maxInFlight,
  }),
  ({ timeoutOffsetMs, defaultTimeoutMs, maxDurationMs, maxInFlight }) => ({
    timeoutOffset: timeoutOffsetMs,
    defaultTimeout: defaultTimeoutMs,
    maxDuration: maxDurationMs,
    maxInFlight,
  }),
).prefault({});

const listenAddress = z.codec(z.string(), z.custom<ListenAddress>(), {
  decode: (raw, payload) => parseListenAddress(raw) ?? refuse(payload),
  encode: formatListenAddress,
});

/** Paths that the server answers itself. */
const fixedPaths = ['/', '/livez', '/healthz', '/readyz', '/api/v1/status'];

const web = z
  .strictObject({
    listenAddresses: list({
      item: listenAddress,
      default: [':9797'],
      minLength: 1,
      allowed: 'a list of at least one address such as :9797, 127.0.0.1:9797, localhost:9797 or [::1]:9797',
      flag: 'web.listen-address',
      help: 'Where to listen. Without a host: on all addresses of the machine.',
    }),
    telemetryPath: text({
      default: '/metrics',
      accepts: (path) => isUrlPath(path) && !fixedPaths.includes(path),
      allowed: `a path such as /metrics, of letters, digits, "-", ".", "_" and "~", without a "/" at its end, and none of ${fixedPaths.join(', ')}`,
      flag: 'web.telemetry-path',
      help: 'The path of the exposition.',
    }),
    enableLifecycle: boolean({
      default: false,
      flag: 'web.enable-lifecycle',
      help: 'Accept POST /-/reload.',
    }),
  })
  .prefault({});

const log = z
  .strictObject({
    level: choice({
      default: 'info',
      among: ['debug', 'info', 'warn', 'error'],
      flag: 'log.level',
      help: 'The least level that is logged.',
    }),
    format: choice({
      default: 'logfmt',
      among: ['json', 'logfmt'],
      flag: 'log.format',
      help: 'The form of the log lines.',
    }),
  })
  .prefault({});

const enforcement = z
  .strictObject({
    sidecars: boolean({
      default: true,
      help: 'Whether the kubelets hold sidecars to their own limits, as new ones do; `limit_ratio` follows it.',
    }),
  })
  .prefault({});

const attribution = choice({
  default: 'measured',
  among: ['measured', 'even'],
  help: "What of a pod's bytes a container gets: its own files and a share of what the pod shares, or an even part of the total.",
});

/** What a file may hold. `z.decode` gives the effective settings, `z.encode` the file that says all of them. */
export const schema = z.strictObject({
  cluster,
  kubelet,
  cache,
  workloads,
  attribution,
  enforcement,
  metrics,
  scrape,
  web,
  log,
});

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** The effective settings: durations in milliseconds, sizes in bytes, undefined for what is not set. Frozen. */
export type Config = DeepReadonly<z.output<typeof schema>>;
