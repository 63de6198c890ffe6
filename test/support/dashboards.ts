import type { Dashboard, Panel, RowPanel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { dataquery } from '@grafana/grafana-foundation-sdk/prometheus';

/** All panels except row headings. */
export function panelsOf({ panels = [] }: Dashboard): readonly Panel[] {
  return panels.filter((panel): panel is Panel => !isRow(panel));
}

export function isRow(panel: Panel | RowPanel): panel is RowPanel {
  return panel.type === 'row';
}

export function queriesOf({ targets = [] }: Panel): readonly dataquery[] {
  return targets as unknown as readonly dataquery[];
}

export function variablesOf({ templating }: Dashboard): readonly VariableModel[] {
  return templating.list ?? [];
}

/** The URLs of the data links of a panel. */
export function dataLinksOf({ fieldConfig }: Panel): readonly string[] {
  return (fieldConfig?.defaults.links ?? []).map(({ url = '' }) => url);
}

/** Label and selector of a variable's query; undefined for other variables. */
export function labelQueryOf({
  query,
}: VariableModel): { readonly selector: string; readonly label: string } | undefined {
  const [, selector, label] = /^label_values\((.*), (\w+)\)$/.exec(typeof query === 'string' ? query : '') ?? [];
  return selector === undefined || label === undefined ? undefined : { selector, label };
}
