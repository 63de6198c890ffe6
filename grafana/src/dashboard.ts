import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  type Panel,
  RowBuilder,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';

import { evictionAnnotation } from './evictions.js';
import { dashboardLinks } from './links.js';
import { type DashboardName, titles, uids } from './uids.js';
import { clusterVariable, datasourceVariable } from './variables.js';

export interface Section {
  readonly title: string;
  readonly panels: readonly Builder<Panel>[];
}

export interface DashboardOptions {
  readonly name: DashboardName;
  readonly description: string;
  /** Besides data source and cluster. */
  readonly variables: readonly Builder<VariableModel>[];
  /** Start of the time range; the end is now. */
  readonly from: string;
  readonly sections: readonly Section[];
  /** Selects the evictions that are marked in all panels over time; without it none are. */
  readonly evictions?: readonly string[];
}

/** The schema of Grafana 10.4. Later versions migrate it; earlier versions cannot read it. */
const schemaVersion = 39;

/** A dashboard to import or provision: with a `uid`, without the `id` that each Grafana assigns. */
export function buildDashboard({
  name,
  description,
  variables,
  from,
  sections,
  evictions,
}: DashboardOptions): Dashboard {
  const builder = new DashboardBuilder(titles[name])
    .uid(uids[name])
    .description(description)
    .tags(['ephemeral-storage', 'kubernetes'])
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from, to: 'now' })
    .refresh('1m')
    .variables([datasourceVariable(), clusterVariable(), ...variables])
    .links(dashboardLinks(name));
  for (const { title, panels } of sections) {
    builder.withRow(new RowBuilder(title));
    for (const panel of panels) builder.withPanel(panel);
  }
  const dashboard = builder.build();
  for (const [index, panel] of (dashboard.panels ?? []).entries()) panel.id = index + 1;
  const annotations = { list: evictions === undefined ? [] : [evictionAnnotation(evictions)] };
  return { ...dashboard, annotations, schemaVersion };
}
