import type { FigureGroup, FigureSettings, FigureSource } from '../../report/figure-sources.js';
import { type FigureList, listFigures, namespacePageFigures, overviewFigures } from '../../report/page-figures.js';
import type { PageView, ViewKind } from '../views.js';
import { type Markup, markup } from './markup.js';

/** Of one kind of page. */
type FiguresOf<Kind extends ViewKind> = (
  view: PageView & { readonly kind: Kind },
  settings: FigureSettings,
) => readonly FigureGroup[];

const figuresOf: { readonly [Kind in ViewKind]?: FiguresOf<Kind> } = {
  nodes: ofList,
  pods: ofList,
  containers: ofList,
  volumes: ofList,
  workloads: ofList,
  namespaces: ofList,
  evictions: ofList,
  node: ofPods,
  workload: ofPods,
  namespace: ({ data, query }, settings) => namespacePageFigures(data.namespace.namespace, query, settings),
};

/** Shows where the figures of lists come from; undefined for a page without, or one that says it beside each figure. */
export function figuresOfView(view: PageView, settings: FigureSettings): Markup | undefined {
  const groups = figuresOf[view.kind] as
    ((view: PageView, settings: FigureSettings) => readonly FigureGroup[]) | undefined;
  return groups && figuresPanel(groups(view, settings));
}

export function figuresOfOverview(settings: FigureSettings): Markup {
  return figuresPanel(overviewFigures(settings));
}

function ofList(
  { kind, query }: PageView & { readonly kind: FigureList },
  settings: FigureSettings,
): readonly FigureGroup[] {
  return [listFigures(kind, query, settings)];
}

/** Of the pods on the page of a thing. */
function ofPods({ query }: PageView, settings: FigureSettings): readonly FigureGroup[] {
  return [listFigures('pods', query, settings, 'Pods')];
}

/** No part of what is refreshed: only the address and the settings decide it. */
function figuresPanel(groups: readonly FigureGroup[]): Markup {
  return markup`<details id="how-page" class="how small"><summary data-key="how-page">Arithmetic and PromQL</summary>${groups.map(groupPart)}</details>`;
}

function groupPart({ title, sources, notes }: FigureGroup): Markup {
  const heading = title === undefined ? undefined : markup`<h2>${title}</h2>`;
  return markup`${heading}${sources.map(sourcePart)}${notes.map((note) => markup`<p class="muted">${note}</p>`)}`;
}

function sourcePart({ name, text, queries, missing }: FigureSource): Markup {
  const lacks =
    missing.length === 0
      ? undefined
      : markup` <span class="muted">Not exposed by these settings (metrics.profile, levels, allow, deny): ${missing.join(', ')}.</span>`;
  const expressions =
    queries.length === 0
      ? undefined
      : markup`<ul class="commands">${queries.map((query) => markup`<li><code>${query}</code></li>`)}</ul>`;
  return markup`<p><strong>${name}</strong>: ${text}${lacks}</p>${expressions}`;
}
