import type { Dashboard, Panel, RowPanel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { dataquery } from '@grafana/grafana-foundation-sdk/prometheus';

/** All panels except row headings, with those of collapsed rows. */
export function panelsOf(dashboard: Dashboard): readonly Panel[] {
  return placedIn(dashboard).filter((panel): panel is Panel => !isRow(panel));
}

/** Row headings and panels, as if all rows were open. */
export function placedIn({ panels = [] }: Dashboard): readonly (Panel | RowPanel)[] {
  return panels.flatMap((panel) => (isRow(panel) ? [panel, ...panel.panels] : [panel]));
}

export function isRow(panel: Panel | RowPanel): panel is RowPanel {
  return panel.type === 'row';
}

export function queriesOf({ targets = [] }: Panel): readonly dataquery[] {
  return targets as unknown as readonly dataquery[];
}

export function queriesIn(dashboard: Dashboard): readonly { readonly panel: Panel; readonly query: dataquery }[] {
  return panelsOf(dashboard).flatMap((panel) => queriesOf(panel).map((query) => ({ panel, query })));
}

export function variablesOf({ templating }: Dashboard): readonly VariableModel[] {
  return templating.list ?? [];
}

/** The URLs of the data links of a panel: of all values, or of a column. */
export function dataLinksOf({ fieldConfig }: Panel): readonly string[] {
  const ofColumns = (fieldConfig?.overrides ?? []).flatMap(({ properties }) => properties);
  const links = ofColumns.flatMap(({ id, value }) => (id === 'links' ? (value as unknown as { url: string }[]) : []));
  return [...(fieldConfig?.defaults.links ?? []), ...links].map(({ url = '' }) => url);
}

/** Label and selector of a variable's query; undefined for other variables. */
export function labelQueryOf({
  query,
}: VariableModel): { readonly selector: string; readonly label: string } | undefined {
  const [, selector, label] = /^label_values\((.*), (\$?\w+)\)$/.exec(typeof query === 'string' ? query : '') ?? [];
  return selector === undefined || label === undefined ? undefined : { selector, label };
}
