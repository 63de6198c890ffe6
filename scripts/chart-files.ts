import { readdirSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const files = new URL('charts/ephemeral-storage-exporter/files/', root);

export interface ChartFile {
  readonly source: URL;
  /** In the chart, with the same bytes: a chart cannot read files outside its folder. */
  readonly copy: URL;
}

/**
 * The rules and dashboards of the chart. No symbolic links: they do not survive a checkout on Windows, and some programs
 * that render charts refuse them.
 */
export function chartFiles(): readonly ChartFile[] {
  const dashboards = new URL('grafana/dashboards/', root);
  return [
    { source: new URL('manifests/rules/ephemeral-storage.yaml', root), copy: new URL('rules.yaml', files) },
    ...readdirSync(dashboards).map((name) => ({
      source: new URL(name, dashboards),
      copy: new URL(`dashboards/${name}`, files),
    })),
  ];
}
