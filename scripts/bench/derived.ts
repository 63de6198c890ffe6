import type { Figures } from './figures.js';
import { otherExporters, otherExportersAtLarge } from './references.js';
import { podCountOf, type Shape } from './shapes.js';

const minuteMs = 60_000;
/** Scrapes of a minute, with one every 15 s. */
const scrapesOfAMinute = 4;

/** What follows from the measured figures: the comparison with other exporters at a scrape every 15 s. */
export function derivedFigures(shape: Shape, figures: Figures): Figures {
  const { steadyCpu, warmCpu, gzipToPlain, seriesCount } = figures;
  if (steadyCpu === undefined || warmCpu === undefined || gzipToPlain === undefined || seriesCount === undefined)
    return {};
  // One of the four refreshes, the others find fresh data.
  const cpuMs = (steadyCpu / 100) * minuteMs + (scrapesOfAMinute - 1) * warmCpu * gzipToPlain;
  const { kubeStateMetrics, k8sEphemeralStorageMetrics } = otherExporters;
  const otherMs = (exporter: { readonly cpuSecondsPerMinute: number }): number => exporter.cpuSecondsPerMinute * 1_000;
  const toKubeStateMetrics = cpuMs / seriesCount / (otherMs(kubeStateMetrics) / kubeStateMetrics.seriesCount);
  if (shape.name === 'normal-100')
    return { toKubeStateMetrics, toEphemeralStorageMetrics: cpuMs / otherMs(k8sEphemeralStorageMetrics) };
  if (shape.name !== 'large-1000') return { toKubeStateMetrics };
  const toEphemeralStorageMetrics = cpuMs / otherMs(otherExportersAtLarge.k8sEphemeralStorageMetrics);
  return { toKubeStateMetrics, toEphemeralStorageMetrics };
}

/** Compares the steady CPU for a pod with that of `normal-100`, measured in the same call. */
export function costPerPod(shape: Shape, figures: Figures, normal: { shape: Shape; figures: Figures }): Figures {
  if (figures.steadyCpu === undefined || normal.figures.steadyCpu === undefined) return {};
  const costPerPod = figures.steadyCpu / podCountOf(shape) / (normal.figures.steadyCpu / podCountOf(normal.shape));
  return { costPerPod };
}
