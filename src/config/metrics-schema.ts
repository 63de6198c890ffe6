/** The settings of what an exposition holds. */
import { z } from 'zod';

import { UserError } from '../base/errors.js';
import { compilePattern } from '../base/pattern.js';
import { list } from './collections.js';
import { boolean, choice, optionalInteger } from './scalars.js';
import { type About, refuse } from './setting.js';

const maxPatternLength = 1000;

/** Stays text: a compiled expression has a state of its own, and settings are frozen, compared and hashed. */
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
    allowed: `a list (in the environment separated by ";") of regular expressions in RE2's syntax, of at most ${maxPatternLength} characters, such as ephemeral_storage_volume_.*`,
  });
}

const levels = z
  .strictObject({
    workload: boolean({ default: true, help: 'Expose the families about workloads.' }),
    node: boolean({ default: true, help: 'Expose the families about nodes.' }),
    pod: boolean({ default: true, help: 'Expose the families about pods.' }),
    container: boolean({ default: true, help: 'Expose the families about containers.' }),
    volume: boolean({ default: true, help: 'Expose the families about volumes.' }),
  })
  .prefault({});

export const metrics = z
  .strictObject({
    levels,
    allow: patterns({
      help: 'Expose only families whose whole name matches one of these; levels that are off stay off. Empty: all.',
    }),
    deny: patterns({
      help: 'Leave out the families whose whole name matches one of these, also those that metrics.allow names.',
    }),
    maxSeries: optionalInteger({
      max: 100_000_000,
      zero: 'for no cap',
      help: 'The most series that an exposition may have, without those about the exporter itself. Above it whole families are left out: volumes first, then containers, pods, nodes and workloads; within each the one with most series first.',
    }),
    top: optionalInteger({
      max: 1_000_000,
      zero: 'for all',
      help: 'How many pods of each workload, the biggest ones, have series of pods, containers and volumes. Sums are over all pods.',
    }),
    compatibility: choice({
      default: 'none',
      among: ['none', 'k8s-ephemeral-storage-metrics'],
      help: 'Also serve the families of another exporter, so that its dashboards and alerts go on working while you switch.',
    }),
  })
  .prefault({});
