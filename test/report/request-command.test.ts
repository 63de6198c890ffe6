import { describe, expect, it } from 'vitest';

import type { EvictionRecord } from '../../src/facts/history/eviction-record.js';
import { evictionReport } from '../../src/people/report/eviction-report.js';
import { raisedRequest } from '../../src/people/report/request-command.js';
import { aLastUsage, anEvictionRecord } from '../support/eviction-builders.js';
import { aContainerUsage, aLimitRatio, aPodUsage, aWorkload } from '../support/snapshot-builders.js';
import { gib, mib } from '../support/units.js';

const low = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. ';
const above = (container: string, used: string, request = '0') =>
  `Container ${container} was using ${used}, request is ${request}, has larger consumption of ephemeral-storage. `;

/** The containers `app`, with 3Gi, and `proxy`, with 100Mi; 1Gi is in a volume of both. */
const usedBytes = 4 * gib + 100 * mib;
const lastUsage = aLastUsage({
  usage: aPodUsage({
    usedBytes,
    containers: [
      aContainerUsage({ name: 'app', usedBytes: 3.5 * gib, rootfsBytes: 3 * gib, logsBytes: 0 }),
      aContainerUsage({ name: 'proxy', usedBytes: 612 * mib, rootfsBytes: 60 * mib, logsBytes: 40 * mib }),
    ],
  }),
  ratios: [],
});
const limited = (limitBytes: number) => ({
  ...lastUsage,
  ratios: [aLimitRatio({ rule: 'container', container: 'app', limitBytes })],
});

function recordOf(overrides: Partial<EvictionRecord> = {}): EvictionRecord {
  const cause = { cause: 'node_bytes', volume: '', limitBytes: undefined } as const;
  return anEvictionRecord({ ...cause, message: `${low}${above('app', '3Gi')}`, lastUsage, ...overrides });
}

const set = 'kubectl set resources -n shop deployment/cart -c app --requests=ephemeral-storage=';

describe('the change that makes a pod a later victim of its node', () => {
  it.each<readonly [string, Partial<EvictionRecord>, string]>([
    ['what the pod used with its volumes', { message: `${low}${above('app', '3Gi')}` }, `${set}4Gi`],
    [
      'without what another container requested, where the message lists it',
      { message: `${low}${above('proxy', '100Mi', '60Mi')}${above('app', '3Gi', '1Gi')}` },
      `${set}4136Mi`,
    ],
    ['at least what the kubelet named', { message: `${low}${above('app', '5Gi')}` }, `${set}5Gi`],
    ['in whole Mi above it', { message: `${low}${above('app', '5368709121')}` }, `${set}5121Mi`],
    ['what the kubelet named, of a pod that was not measured', { lastUsage: 'not_measured' }, `${set}3Gi`],
    [
      'with the limit that would refuse it',
      { lastUsage: limited(3.5 * gib) },
      `${set}4Gi --limits=ephemeral-storage=4Gi`,
    ],
    ['up to a tenth of the disk', { lastUsage: { ...lastUsage, nodeCapacityBytes: 40 * gib } }, `${set}4Gi`],
    ['without a limit that admits it', { lastUsage: limited(4 * gib) }, `${set}4Gi`],
    [
      'of a cron job',
      { workloads: [aWorkload({ namespace: 'shop', name: 'report', type: 'cronjob' })] },
      'kubectl set resources -n shop cronjob/report -c app --requests=ephemeral-storage=4Gi',
    ],
    [
      'of a container with a hostile name',
      { message: `${low}${above('$(id)', '3Gi')}`, lastUsage: 'not_measured' },
      "kubectl set resources -n shop deployment/cart -c '$(id)' --requests=ephemeral-storage=3Gi",
    ],
  ])('a request covers %s', (_what, overrides, command) => {
    expect(raisedRequest(recordOf(overrides))).toBe(command);
    expect(evictionReport(recordOf(overrides)).verdict?.commands.at(-1)).toBe(command);
  });

  it.each<readonly [string, Partial<EvictionRecord>]>([
    ['was evicted for inodes', { cause: 'node_inodes' }],
    ['was last measured more than two minutes before', { evictedAtMs: lastUsage.fetchedAtMs + 120_001 }],
    ['was refused', { cause: 'node_admission' }],
    ['is not known to have been above its request', { message: low }],
    ['has requests that cannot be read', { message: `${low}${above('app', '3Gi', 'x')}` }],
    ['used more than a tenth of the disk', { lastUsage: { ...lastUsage, nodeCapacityBytes: 39.9 * gib } }],
    ['belongs to a job, whose template is immutable', { workloads: [aWorkload({ type: 'job' })] }],
    ['has no controller', { workloads: [] }],
  ])('a pod that %s has none', (_what, overrides) => {
    expect(raisedRequest(recordOf(overrides))).toBeUndefined();
    expect(evictionReport(recordOf(overrides)).verdict?.commands.join(' ')).not.toContain('kubectl set');
  });
});
