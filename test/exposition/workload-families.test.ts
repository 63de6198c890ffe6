import { expect, it } from 'vitest';

import type { Workload } from '../../src/facts/workload/workload.js';
import { infoLabelNames } from '../../src/metrics/exposition/render.js';
import { workloadGroups, workloadPager } from '../../src/metrics/exposition/workload-families.js';
import { groupTexts } from '../support/exposed-text.js';
import { aWorkload, aWorkloadSnapshot } from '../support/snapshot-builders.js';

it.each([
  [['app'], { app: 'label_app' }],
  [['app.kubernetes.io/name'], { 'app.kubernetes.io/name': 'label_app_kubernetes_io_name' }],
  [['größe'], { größe: 'label_gr__e' }],
  [['0-start'], { '0-start': 'label_0_start' }],
  [['a/b', 'a.b', 'a_b'], { 'a.b': 'label_a_b', 'a/b': 'label_a_b_2', a_b: 'label_a_b_3' }],
  [['a/b', 'a.b', 'a_b_2'], { 'a.b': 'label_a_b', 'a/b': 'label_a_b_2', a_b_2: 'label_a_b_2_2' }],
])('the keys %j have label names of their own', (keys, expected) => {
  expect(Object.fromEntries(infoLabelNames(keys))).toEqual(expected);
});

it('label names depend neither on the order of the keys nor on their number', () => {
  expect(infoLabelNames(['a.b', 'a/b', 'a.b'])).toEqual(infoLabelNames(['a/b', 'a.b']));
});

function seriesOf(workloads: readonly Workload[]): readonly Readonly<Record<string, unknown>>[] {
  const pages = workloadPager()({ workloads: workloads.map((workload) => aWorkloadSnapshot({ workload })) });
  const info = workloadGroups.filter(({ families }) => families.some(({ name }) => name.endsWith('workload_info')));
  const lines = info.flatMap((group) => groupTexts(group, ...pages)).flatMap((text) => text.trimEnd().split('\n'));
  return lines.map((line) =>
    Object.fromEntries(Array.from(line.matchAll(/(\w+)="([^"]*)"/g), ([, name = '', value]) => [name, value])),
  );
}

it('info series take no value from what every object has', () => {
  const hostile = aWorkload({ type: 'labels', origin: { source: 'labels', labels: { constructor: 'x' } } });
  const other = aWorkload({ type: 'labels', origin: { source: 'labels', labels: { app: 'x' } } });
  expect(seriesOf([hostile, other])[1]).not.toHaveProperty('label_constructor');
});
