import type { Exporter } from './exporter.js';

/**
 * The samples of a scrape as a Prometheus server stores them at the time of the exporter's clock: lines of OpenMetrics
 * text with timestamps. `labels` are added to each series.
 */
export async function scrapedLines(
  exporter: Exporter,
  labels: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const { body } = await exporter.get('/metrics', { accept: 'application/openmetrics-text; version=1.0.0' });
  const atSeconds = exporter.clock.nowMs() / 1_000;
  const added = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
  return String(body)
    .split('\n')
    .flatMap((line) => {
      const [, name, own, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) return [];
      const all = own === undefined ? added : [own, ...added];
      return [`${name}{${all.join(',')}} ${value} ${atSeconds}`];
    });
}

export function openMetrics(lines: readonly string[]): string {
  return [...lines, '# EOF', ''].join('\n');
}
