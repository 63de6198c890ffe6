/** The settings of the content of the exposition. */
import * as z from 'zod/mini';

import { UserError } from '../lib/base/errors.js';
import { compilePattern } from '../lib/base/pattern.js';
import { list } from './collections.js';
import { choice, optionalInteger } from './scalars.js';
import { type About, refuse, section } from './setting.js';
import { isLabelKey } from './values.js';

const maxPatternLength = 1000;

/** Stays text: a compiled expression has internal state, and settings are frozen, compared and hashed. */
const pattern = z.codec(z.string(), z.string(), {
  decode: (source, payload) => {
    if (source.trim() === '' || source.length > maxPatternLength) return refuse(payload);
    try {
      compilePattern(source);
      return source;
    } catch (error) {
      if (error instanceof UserError) return refuse(payload, error.message);
      throw error;
    }
  },
  encode: (source) => source,
});

function patterns(spec: About) {
  return list({
    ...spec,
    item: pattern,
    default: [],
    separator: ';',
    allowed: `a list (as text separated by ";") of regular expressions (of JavaScript with the flag u, without (?i); at most ${maxPatternLength} characters each), such as ephemeral_storage_volume_.*`,
  });
}

const levels = ['workload', 'node', 'pod', 'container', 'volume'] as const;

export const metrics = section({
  profile: choice({
    default: 'standard',
    among: ['minimal', 'standard', 'full'],
    help: 'Families to expose: minimal (totals and limit ratios), standard (also components, containers and emptyDirs) or full.',
  }),
  nodeLabels: list({
    item: z.string().check(z.refine(isLabelKey)),
    default: [],
    help: 'Labels of nodes that ephemeral_storage_node_info carries: each as label_ and its key, with every character that a label name cannot have replaced by _.',
    allowed: 'a list of label keys such as topology.kubernetes.io/zone',
  }),
  levels: list({
    item: z.literal(levels),
    default: [...levels],
    allowed: 'a list of any of workload, node, pod, container and volume',
    help: 'Levels whose families are exposed.',
  }),
  allow: patterns({
    help: 'Expose only families whose whole name matches one of these, from any profile and of `metrics.levels`. Empty: the families of metrics.profile.',
  }),
  deny: patterns({
    help: 'Do not expose the families whose whole name matches one of these, even if metrics.allow matches them.',
  }),
  maxSeries: optionalInteger({
    default: 3_000_000,
    max: 100_000_000,
    zero: 'for no cap',
    help: "Maximum number of series in an exposition, without the exporter's own metrics. Above it, whole families are dropped: first of volumes, then of containers, pods, nodes and workloads; within a level, the family with the most series first.",
  }),
  compatibility: choice({
    default: 'none',
    among: ['none', 'k8s-ephemeral-storage-metrics'],
    help: 'Also expose the families of another exporter, so that its dashboards and alerts keep working during a migration.',
  }),
});
