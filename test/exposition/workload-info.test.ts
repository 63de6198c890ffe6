import { describe, expect, it } from 'vitest';

import { infoLabelNames, workloadInfo } from '../../src/exposition/workload-info.js';
import { aDeployment, aWorkload } from '../support/snapshot-builders.js';

describe('infoLabelNames', () => {
  it.each([
    [['app'], { app: 'label_app' }],
    [['app.kubernetes.io/name'], { 'app.kubernetes.io/name': 'label_app_kubernetes_io_name' }],
    [['größe'], { größe: 'label_gr__e' }],
    [['0-start'], { '0-start': 'label_0_start' }],
    [['a/b', 'a.b', 'a_b'], { 'a.b': 'label_a_b', 'a/b': 'label_a_b_2', a_b: 'label_a_b_3' }],
    [['a/b', 'a.b', 'a_b_2'], { 'a.b': 'label_a_b', 'a/b': 'label_a_b_2', a_b_2: 'label_a_b_2_2' }],
  ])('of %j', (keys, expected) => {
    expect(Object.fromEntries(infoLabelNames(keys))).toEqual(expected);
  });

  it('depends neither on the order of the keys nor on their number', () => {
    expect(infoLabelNames(['a.b', 'a/b', 'a.b'])).toEqual(infoLabelNames(['a/b', 'a.b']));
  });
});

describe('workloadInfo', () => {
  const configured = aWorkload({ name: 'billing' });
  const labelled = aWorkload({
    name: 'shop--web',
    type: 'labels',
    origin: { source: 'labels', labels: { app: 'shop', tier: 'web' } },
  });

  it('has one set of label names for all workloads, with empty values where one does not apply', () => {
    const { labelNames, labelsOf } = workloadInfo([configured, labelled, aDeployment('cart')]);
    expect(labelsOf(configured)).toEqual({
      namespace: '',
      workload: 'billing',
      workload_type: 'selector',
      source: 'configured',
      label_app: '',
      label_tier: '',
    });
    expect(labelsOf(labelled)).toEqual({
      namespace: '',
      workload: 'shop--web',
      workload_type: 'labels',
      source: 'labels',
      label_app: 'shop',
      label_tier: 'web',
    });
    expect(labelsOf(aDeployment('cart'))).toEqual({
      namespace: 'shop',
      workload: 'cart',
      workload_type: 'deployment',
      source: 'controller',
      label_app: '',
      label_tier: '',
    });
    expect(Object.keys(labelsOf(configured))).toEqual(labelNames);
  });

  it('takes no value from what every object has', () => {
    const hostile = aWorkload({ type: 'labels', origin: { source: 'labels', labels: { constructor: 'x' } } });
    const { labelsOf } = workloadInfo([hostile, configured]);
    expect(labelsOf(configured)).toMatchObject({ label_constructor: '' });
  });
});
