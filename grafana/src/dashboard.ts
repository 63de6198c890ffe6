import type { Builder } from '@grafana/grafana-foundation-sdk/cog';
import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  type Panel,
  RowBuilder,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';

import { alertAnnotation } from './alerts.js';
import { evictionAnnotation } from './evictions.js';
import { dashboardLinks } from './links.js';
import { type DashboardName, titles, uids } from './uids.js';
import { clustersVariable, clusterVariable, datasourceVariable } from './variables.js';

export interface Section {
  readonly title: string;
  readonly panels: readonly Builder<Panel>[];
  /** Opened on demand: its queries run only then. */
  readonly isCollapsed?: boolean;
}

export interface DashboardOptions {
  readonly name: DashboardName;
  readonly description: string;
  /** Besides data source and cluster. */
  readonly variables: readonly Builder<VariableModel>[];
  /** Whether it shows several clusters at once. Those that show one cannot merge pods or nodes of the same name. */
  readonly clusters?: boolean;
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
  clusters = false,
}: DashboardOptions): Dashboard {
  const builder = new DashboardBuilder(titles[name])
    .uid(uids[name])
    .description(description)
    .tags(['ephemeral-storage', 'kubernetes'])
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from, to: 'now' })
    .refresh('1m')
    .variables([datasourceVariable(), clusters ? clustersVariable() : clusterVariable(), ...variables])
    .links(dashboardLinks(name));
  for (const section of sections) addSection(builder, section);
  const dashboard = builder.build();
  const all = (dashboard.panels ?? []).flatMap((panel) => ('panels' in panel ? [panel, ...panel.panels] : [panel]));
  for (const [index, panel] of all.entries()) panel.id = index + 1;
  const marks = evictions === undefined ? [] : [evictionAnnotation(evictions)];
  return { ...dashboard, annotations: { list: [...marks, alertAnnotation()] }, schemaVersion };
}

function addSection(builder: DashboardBuilder, { title, panels, isCollapsed = false }: Section): void {
  const row = new RowBuilder(title).collapsed(isCollapsed);
  if (isCollapsed) for (const panel of panels) row.withPanel(panel);
  builder.withRow(row);
  if (!isCollapsed) for (const panel of panels) builder.withPanel(panel);
}
