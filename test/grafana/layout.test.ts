/** What can be seen of dashboards without Grafana, on a screen of 1440 pixels with its menu beside them. */
import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { describe, expect, it } from 'vitest';

import {
  causeColours,
  componentColours,
  coverageColours,
  levelColours,
  resultColours,
  stateColours,
} from '../../grafana/src/colours.js';
import { allDashboards } from '../../grafana/src/dashboards.js';
import { panelsOf } from '../support/dashboards.js';
import { colourOf, lightPalette } from '../support/palette.js';
import { textWidth } from '../support/text-width.js';

const menuPx = 300;
const paddingPx = 16;
const gapPx = 8;
const columnPx = (1440 - menuPx - 2 * paddingPx + gapPx) / 24;
/** Border, padding and scroll bar of a table. */
const tableEdgePx = 26;
/** Border, padding and the icon with the description. */
const titleEdgePx = 50;
const cellPaddingPx = 12;
const iconPx = 16;

/** What Grafana takes for a column without a least width. */
const defaultMinimumPx = 150;

const dashboards = allDashboards().map((dashboard) => ({ uid: dashboard.uid ?? '', dashboard }));

function widthOf({ gridPos }: Panel): number {
  return (gridPos?.w ?? 0) * columnPx - gapPx;
}

interface ShownColumn {
  readonly title: string;
  readonly width: number | undefined;
  readonly minimum: number;
  readonly icons: number;
}

/** As the transformations and overrides of a table arrange them, with the cluster where it is not left out. */
function columnsOf({ transformations = [], fieldConfig, options }: Panel): readonly ShownColumn[] {
  const { renameByName } = transformations.find(({ id }) => id === 'organize')?.options as {
    renameByName: Readonly<Record<string, string>>;
  };
  const sorted = (options as { sortBy?: readonly { displayName: string }[] } | undefined)?.sortBy?.[0]?.displayName;
  return Object.values(renameByName).map((title) => {
    const override = fieldConfig?.overrides.find(({ matcher }) => matcher.options === title);
    const properties = new Map(override?.properties.map(({ id, value }) => [id, value as unknown]));
    return {
      title,
      width: properties.get('custom.width') as number | undefined,
      minimum: (properties.get('custom.minWidth') as number | undefined) ?? defaultMinimumPx,
      icons: Number(title === sorted) + Number(properties.has('custom.filterable')),
    };
  });
}

/** Widths in Grafana 12: every column without a width has the same share of the rest, or its least width. */
function sharedWidths(columns: readonly ShownColumn[], availablePx: number): readonly number[] {
  const rest = availablePx - columns.reduce((sum, { width = 0 }) => sum + width, 0);
  const share = rest / columns.filter(({ width }) => width === undefined).length;
  return columns.map(({ width, minimum }) => width ?? Math.max(minimum, share));
}

interface Mapping {
  readonly type: string;
  readonly options: { readonly match?: string; readonly result?: { readonly color?: string } };
}

function isNeutralWithoutValue(mappings: unknown): boolean {
  return ((mappings ?? []) as readonly Mapping[]).some(
    ({ type, options }) => type === 'special' && options.match === 'null+nan' && options.result?.color === 'text',
  );
}

describe.each(dashboards)('$uid', ({ dashboard }) => {
  const panels = panelsOf(dashboard);
  const tables = panels.filter(({ type }) => type === 'table');

  it('the dashboard has titles that are not cut', () => {
    const cut = panels.filter((panel) => textWidth(panel.title ?? '') > widthOf(panel) - titleEdgePx);
    expect(cut.map(({ title }) => title)).toEqual([]);
  });

  it('the dashboard has tables with all columns on the screen, under headings that are not cut', () => {
    const faults = tables.flatMap((panel) => {
      const availablePx = widthOf(panel) - tableEdgePx;
      const columns = columnsOf(panel);
      const widths = sharedWidths(columns, availablePx);
      const missingPx = Math.round(widths.reduce((sum, width) => sum + width, 0) - availablePx);
      const cut = columns.filter(
        ({ title, icons }, index) => textWidth(title) + cellPaddingPx + icons * iconPx > (widths[index] ?? 0),
      );
      return [
        ...(missingPx > 0 ? [`${panel.title ?? ''}: ${missingPx} px too wide`] : []),
        ...cut.map(({ title }) => `${panel.title ?? ''}: heading ${title} is cut`),
      ];
    });
    expect(faults).toEqual([]);
  });

  it('the dashboard says without a value that there is none, in the colour of text', () => {
    for (const { type, title, fieldConfig } of panels) {
      if (type === 'stat') expect(isNeutralWithoutValue(fieldConfig?.defaults.mappings), title).toBe(true);
      for (const { properties } of type === 'table' ? (fieldConfig?.overrides ?? []) : []) {
        const value = (id: string): unknown => properties.find((property) => property.id === id)?.value;
        if (value('thresholds') !== undefined) expect(isNeutralWithoutValue(value('mappings')), title).toBe(true);
      }
    }
  });

  it('the dashboard has legends beside wide charts, and short ones below narrow charts', () => {
    for (const { type, title, gridPos, options } of panels.filter((panel) => panel.type === 'timeseries')) {
      const { legend } = options as { legend: object };
      const isWide = (gridPos?.w ?? 0) >= 12;
      expect(legend, `${type} ${title ?? ''}`).toMatchObject(
        isWide ? { displayMode: 'table', placement: 'right' } : { displayMode: 'list', calcs: [] },
      );
    }
  });

  it('the dashboard has one colour for each part and each state, whatever its order', () => {
    for (const { title, type, fieldConfig, targets = [] } of panels.filter((panel) => panel.type === 'timeseries')) {
      expect(fieldConfig?.defaults.color, `${type} ${title ?? ''}`).toEqual({ mode: 'palette-classic-by-name' });
      const legends = (targets as readonly { legendFormat?: string }[]).map(({ legendFormat = '' }) => legendFormat);
      const isOfParts = legends.some((legend) => /\{\{(?:component|cause|result|reason|level)\}\}/.test(legend));
      const isFixed = fieldConfig?.overrides.some(({ properties }) => properties.some(({ id }) => id === 'color'));
      if (isOfParts && !/^(?:Series dropped|Pods without series)$/.test(title ?? '')) expect(isFixed, title).toBe(true);
    }
  });

  it('the dashboard colours shares of limits and disks from 80, 90 and 100 %', () => {
    const steps = panels.flatMap(({ fieldConfig }) => [
      fieldConfig?.defaults,
      ...(fieldConfig?.overrides ?? []).map(({ properties }) =>
        Object.fromEntries(properties.map(({ id, value }) => [id, value as unknown])),
      ),
    ]) as readonly { unit?: string; thresholds?: { steps: readonly { value: number | null; color: string }[] } }[];
    for (const { unit, thresholds } of steps) {
      const [base, first] = thresholds?.steps ?? [];
      expect([...Object.values(stateColours), undefined]).toContain(base?.color);
      if (unit !== 'percentunit' || first?.value === undefined || first.value === 1) continue;
      expect(thresholds?.steps.slice(1).map(({ value }) => value)).toEqual([0.8, 0.9, 1]);
    }
  });
});

it('dashboards have the colours of the status page', () => {
  const { rootfs, logs, emptydir, configmap, other } = componentColours;
  const parts = { rootfs, logs, emptydir, configmap, other };
  for (const [part, colour] of Object.entries(parts)) expect(colour).toBe(colourOf(lightPalette, part));
  const { ok, warning, critical, over } = stateColours;
  expect({ ok, warning, critical, over }).toEqual({
    ok: colourOf(lightPalette, 'ok-bar'),
    warning: colourOf(lightPalette, 'warning-bar'),
    critical: colourOf(lightPalette, 'critical-bar'),
    over: colourOf(lightPalette, 'critical'),
  });
});

it.each([
  { what: 'results', colours: resultColours },
  { what: 'coverage', colours: coverageColours },
  { what: 'causes', colours: causeColours },
  { what: 'levels', colours: levelColours },
])('dashboards have green only for good $what', ({ colours }) => {
  const green = Object.entries(colours).filter(([, colour]) => colour === stateColours.ok);
  for (const [name] of green) expect(['success', 'fresh', 'with data']).toContain(name);
});
