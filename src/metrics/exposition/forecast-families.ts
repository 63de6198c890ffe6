/** What is about to happen: the series of each scrape, and their families. */
import { type MeasuredNodeView, timeToMs } from '../../facts/node/node-view.js';
import type { ClusterSnapshot } from '../../facts/scrape/snapshot.js';
import { isEqual } from '../../lib/base/memo.js';
import { familyGroup, seriesOf } from './family.js';
import { thresholdLabel } from './node-families.js';
import { type Pager, stablePages } from './stable-pages.js';

/** How much time is left to a pod or a node. */
interface ShownForecast {
  readonly labels: readonly string[];
  readonly timeSeconds: number;
}

/** Of one pod there is one at most, in the order of the summary. */
export function podForecasts(): Pager<readonly ShownForecast[]> {
  return stablePages((snapshot) => measuredNodes(snapshot).flatMap(podForecastsOf), isEqual);
}

/** Of each signal the soonest one. */
export function nodeForecasts(): Pager<readonly ShownForecast[]> {
  return stablePages((snapshot) => measuredNodes(snapshot).flatMap(nodeForecastsOf), isEqual);
}

function measuredNodes({ nodes }: ClusterSnapshot): readonly MeasuredNodeView[] {
  return nodes.filter((view) => view.state !== 'absent');
}

function podForecastsOf({ nodeName, snapshot, ageMs }: MeasuredNodeView): readonly ShownForecast[] {
  const { forecasts, pods, podsWithoutTotal } = snapshot;
  if (forecasts.pods.size === 0) return [];
  return [...pods, ...podsWithoutTotal].flatMap(({ summary: { uid, namespace, name } }) => {
    const forecast = forecasts.pods.get(uid);
    const timeMs = forecast && timeToMs(forecast, forecasts, ageMs);
    if (forecast === undefined || timeMs === undefined) return [];
    const { rule, container, volume } = forecast;
    return [{ labels: [namespace, name, nodeName, rule, container, volume], timeSeconds: Math.round(timeMs / 1_000) }];
  });
}

function nodeForecastsOf({ nodeName, snapshot: { forecasts }, ageMs }: MeasuredNodeView): readonly ShownForecast[] {
  const soonest = new Map<string, ShownForecast>();
  for (const forecast of forecasts.thresholds) {
    const timeMs = timeToMs(forecast, forecasts, ageMs);
    const { signal, isAssumed } = forecast;
    const timeSeconds = Math.round((timeMs ?? Infinity) / 1_000);
    if (timeSeconds >= (soonest.get(signal)?.timeSeconds ?? Infinity)) continue;
    soonest.set(signal, { labels: [nodeName, signal, thresholdLabel(isAssumed)], timeSeconds });
  }
  return [...soonest.values()];
}

function forecastsWith(...labels: readonly string[]) {
  return seriesOf(
    labels,
    (forecasts: readonly ShownForecast[]) => forecasts,
    (forecast) => forecast.labels,
  );
}

export const podForecastGroups = [
  familyGroup('pod', forecastsWith('namespace', 'pod', 'node', 'rule', 'container', 'volume'), {
    pod_time_to_limit_seconds: {
      profile: 'standard',
      help: 'Time until the pod exceeds one of its limits if it goes on to grow as measured, and the kubelet evicts it: of the limit that it reaches first; 0 above it. Only from half of a limit on, below a day, and while growth is measured.',
      value: ({ timeSeconds }) => timeSeconds,
    },
  }),
];

export const nodeForecastGroups = [
  familyGroup('node', forecastsWith('node', 'signal', 'threshold'), {
    node_time_to_eviction_seconds: {
      profile: 'minimal',
      help: 'Time until the node crosses an eviction threshold if its disk goes on to fill as measured, and the kubelet evicts pods; 0 below the threshold. threshold="assumed": the default of Kubernetes, while the configuration of the kubelet is not read (kubelet.readConfig). Only near the threshold, below a day, and while growth is measured.',
      value: ({ timeSeconds }) => timeSeconds,
    },
  }),
];
