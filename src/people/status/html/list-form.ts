import { capitalised } from '../../../lib/base/text.js';
import { queryOf } from '../../pens/links.js';
import { type Markup, markup, type MarkupContent } from '../../pens/markup.js';
import { type ListKind, type ListQuery, parametersOf, valuesOf } from '../../query/list-query.js';

/** Not in the form: the order is that of a column's header, the number that of the link, and a name that of a page. */
const withoutField = ['order', 'limit', 'name'];

const hints: Readonly<Record<string, string>> = {
  workload: 'NAMESPACE/TYPE/NAME',
  selector: 'app=web,tier!=cache',
};

/** Lists of what pods are made of: tabs of that of the pods. */
export const podParts: readonly string[] = ['containers', 'volumes'];

/** Leads from the pods to their parts and back, with what all of them are filtered by; of volumes, to those that count. */
function tabs(current: ListKind, given: ListQuery['given']): Markup | undefined {
  if (current !== 'pods' && !podParts.includes(current)) return undefined;
  const items = (['pods', 'containers', 'volumes'] as const).map((kind) => {
    const kept = parametersOf(kind).filter((name) => !withoutField.includes(name));
    const query = Object.fromEntries(kept.map((name) => [name, name === 'counted' ? 'yes' : given[name]]));
    const isCurrent = kind === current ? markup` aria-current="page"` : undefined;
    return markup`<li><a href="${kind}${queryOf(query)}"${isCurrent}>${capitalised(kind)}</a></li>`;
  });
  return markup`<nav class="tabs" aria-label="Pods and their parts"><ul>${items}</ul></nav>`;
}

/** Finds rows by names; what else filters them is said, each with the way without it, and more can be chosen. */
export function listForm(kind: ListKind, { given }: Pick<ListQuery, 'given'>): Markup {
  const names = parametersOf(kind).filter((name) => !withoutField.includes(name));
  const others = names.filter((name) => name !== 'search');
  const kept = Object.entries(given).filter(([name]) => !names.includes(name));
  const hidden = kept.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`);
  const search = markup`<label class="visually-hidden" for="filter-search">part of a name</label><input id="filter-search" type="search" name="search" value="${given['search'] ?? ''}" placeholder="part of a name" autocomplete="off"><button type="submit">Show</button>`;
  const chips = [...others, 'name'].flatMap((name) => chip(name, given));
  const more =
    others.length === 0
      ? undefined
      : markup`<details id="filters" class="filters"><summary data-key="filters">Filters</summary>${others.map((name) => field(kind, name, given))}</details>`;
  return markup`${tabs(kind, given)}<form class="filter small" method="get">${hidden}${search}${chips}${more}</form>`;
}

function chip(name: string, given: ListQuery['given']): readonly Markup[] {
  const value = given[name];
  if (value === undefined) return [];
  const href = queryOf({ ...given, [name]: undefined }) || '?';
  return [
    markup` <a class="chip plain" href="${href}" data-key="without-${name}">${name}: ${value} <span aria-hidden="true">×</span><span class="visually-hidden"> remove</span></a>`,
  ];
}

function field(kind: ListKind, name: string, given: ListQuery['given']): MarkupContent {
  const id = `filter-${name}`;
  const label = markup`<label for="${id}">${name}</label>`;
  const values = valuesOf(kind, name);
  if (values === undefined) {
    return markup`<span>${label}<input id="${id}" name="${name}" value="${given[name] ?? ''}" placeholder="${hints[name] ?? ''}" autocomplete="off"></span>`;
  }
  const options = ['', ...values].map(
    (option) =>
      markup`<option value="${option}"${option === (given[name] ?? '') ? markup` selected` : undefined}>${option === '' ? 'all' : option}</option>`,
  );
  return markup`<span>${label}<select id="${id}" name="${name}">${options}</select></span>`;
}
