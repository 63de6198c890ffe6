import { describe, expect, it } from 'vitest';

import { SummaryPod, withUsage } from '../../src/node/summary-pod.js';
import { aContainer, aContainerSummary, aNode, aPod, aPodSummary } from '../support/builders.js';

function summaryPod(usedBytes: number | undefined): SummaryPod {
  const pod = aPod({ containers: [aContainer({ name: 'app', limitBytes: 10 })] });
  const summary = aPodSummary({ usedBytes, containers: [aContainerSummary({ name: 'app', logsBytes: 5 })] });
  return new SummaryPod(
    {
      summary,
      bound: { pod, limitBytes: 10, requestBytes: undefined, workloads: [] },
      workloads: [],
      isNameless: false,
    },
    {
      attribution: 'measured',
      enforcement: {
        node: aNode(),
        layout: { hasDedicatedImagefs: undefined, hasSplitImagefs: undefined },
        sidecars: 'auto',
      },
    },
  );
}

describe('a pod of a summary', () => {
  it('keeps what is derived until it is released', () => {
    const pod = summaryPod(8);
    expect(pod.usage).toMatchObject({ usedBytes: 8, containers: [{ name: 'app', usedBytes: 8 }] });
    expect(pod.usage).toBe(pod.usage);
    expect(pod.ratios).toMatchObject([{ rule: 'pod', usedBytes: 8 }, { rule: 'container' }]);
  });

  it('says the same after it was released', () => {
    const pod = summaryPod(8);
    const { usage, ratios } = pod;
    pod.release();
    expect(pod.usage).toEqual(usage);
    expect(pod.usage).not.toBe(usage);
    expect(pod.ratios).toEqual(ratios);
  });

  it('has no usage without a total', () => {
    expect(summaryPod(undefined).usage).toBeUndefined();
  });

  it('has all else with another usage', () => {
    const pod = summaryPod(8);
    const { usage } = pod;
    if (usage === undefined) throw new Error('no usage');
    const copy = withUsage(pod, { ...usage, usedBytes: 9 });
    expect(copy).toEqual({
      namespace: pod.namespace,
      name: pod.name,
      summary: pod.summary,
      startTimeMs: pod.startTimeMs,
      pod: pod.pod,
      limitBytes: 10,
      requestBytes: undefined,
      workloads: [],
      ratios: pod.ratios,
      isNameless: false,
      usage: { ...usage, usedBytes: 9 },
    });
  });
});
