/** What is about to happen: the series of each scrape, and their families. */
import type { LimitRule } from '../../facts/node/limit-ratios.js';
import { timeToMs } from '../../facts/node/node-forecasts.js';
import type { MeasuredNodeView, NodeView } from '../../facts/node/node-view.js';
import { type FamilyGroup, familyGroup, seriesOf, type SeriesSource } from './family.js';
import { StablePages } from './stable-pages.js';

/** How much time is left to a pod or a node. The series have its values as labels. */
interface ShownForecast {
  readonly node: string;
  readonly timeSeconds: number;
}

interface ShownPodForecast extends ShownForecast {
  readonly namespace: string;
  readonly pod: string;
  readonly rule: LimitRule;
  readonly container: string;
  readonly volume: string;
}

interface ShownNodeForecast extends ShownForecast {
  readonly signal: string;
  readonly threshold: 'configured' | 'assumed';
}

/** Returns what makes the pages of forecasts of nodes: the same page as before while its lines are the same. */
export function forecastPager<T extends ShownForecast>(
  forecastsOf: (view: MeasuredNodeView) => readonly T[],
): (nodes: readonly NodeView[]) => readonly (readonly T[])[] {
  const pages = new StablePages<T>(isSameForecast);
  return (nodes) => pages.of(nodes.flatMap((view) => (view.state === 'absent' ? [] : forecastsOf(view))));
}

/** Returns one of a pod at most, in the order of the summary. */
export function podForecastsOf({ nodeName, snapshot, ageMs }: MeasuredNodeView): readonly ShownPodForecast[] {
  const { forecasts, pods, podsWithoutTotal } = snapshot;
  if (forecasts.pods.size === 0) return [];
  return [...pods, ...podsWithoutTotal].flatMap(({ summary: { uid, namespace, name } }) => {
    const forecast = forecasts.pods.get(uid);
    const timeMs = forecast && timeToMs(forecast, forecasts, ageMs);
    if (forecast === undefined || timeMs === undefined) return [];
    const { rule, container, volume } = forecast;
    return [{ namespace, pod: name, node: nodeName, rule, container, volume, timeSeconds: Math.round(timeMs / 1_000) }];
  });
}

/** Returns the soonest one for each signal. */
export function nodeForecastsOf({
  nodeName,
  snapshot: { forecasts },
  ageMs,
}: MeasuredNodeView): readonly ShownNodeForecast[] {
  const soonest = new Map<string, ShownNodeForecast>();
  for (const forecast of forecasts.thresholds) {
    const timeMs = timeToMs(forecast, forecasts, ageMs);
    const { signal, isAssumed } = forecast;
    const timeSeconds = Math.round((timeMs ?? Infinity) / 1_000);
    if (timeSeconds >= (soonest.get(signal)?.timeSeconds ?? Infinity)) continue;
    soonest.set(signal, { node: nodeName, signal, threshold: isAssumed ? 'assumed' : 'configured', timeSeconds });
  }
  return [...soonest.values()];
}

/** Whether both have the same line. */
function isSameForecast(former: ShownForecast, forecast: ShownForecast): boolean {
  const [a, b] = [Object.values(former), Object.values(forecast)];
  return a.every((value, index) => value === b[index]);
}

function forecastsWith<T extends ShownForecast>(labels: readonly (keyof T & string)[]): SeriesSource<readonly T[], T> {
  return seriesOf(
    labels,
    (forecasts) => forecasts,
    (forecast) => labels.map((label) => String(forecast[label])),
  );
}

export const podForecastGroups: readonly FamilyGroup<readonly ShownPodForecast[]>[] = [
  familyGroup('pod', forecastsWith<ShownPodForecast>(['namespace', 'pod', 'node', 'rule', 'container', 'volume']), {
    pod_time_to_limit_seconds: {
      profile: 'standard',
      help: 'Time until the pod exceeds one of its limits if it goes on to grow as measured, and the kubelet evicts it: of the limit that it reaches first; 0 above it. Only from half of a limit on, below a day, and while growth is measured.',
      value: ({ timeSeconds }) => timeSeconds,
    },
  }),
];

export const nodeForecastGroups: readonly FamilyGroup<readonly ShownNodeForecast[]>[] = [
  familyGroup('node', forecastsWith<ShownNodeForecast>(['node', 'signal', 'threshold']), {
    node_time_to_eviction_seconds: {
      profile: 'minimal',
      help: 'Time until the node crosses an eviction threshold if its disk goes on to fill as measured, and the kubelet evicts pods; 0 below the threshold. threshold="assumed": the default of Kubernetes, while the configuration of the kubelet is not read (kubelet.readConfig). Only near the threshold, below a day, and while growth is measured.',
      value: ({ timeSeconds }) => timeSeconds,
    },
  }),
];
