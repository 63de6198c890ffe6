import { panel } from '../../pens/html-kit.js';
import { lines, type Markup, markup } from '../../pens/markup.js';
import type { Problem, Status } from '../status.js';
import type { PageView } from '../views.js';
import { findings } from './findings-section.js';
import type { Links } from './links.js';
import { listPart } from './list-part.js';
import { problemLink } from './problem-link.js';
import { trust } from './trust-section.js';

/** All problems, and what they are explained by that is of no node, pod or workload. */
export function problemsPage(
  { data: page, query }: PageView & { readonly kind: 'problems' },
  links: Links,
  status: Status,
): Markup {
  const list = listPart({
    kind: 'problems',
    query,
    page,
    caption: 'problems',
    columns: { Severity: 'text', Problem: 'text', 'What to do': 'text' },
    row: (problem) => problemRow(problem, links),
  });
  return markup`<h1>Problems</h1><section class="panel" aria-label="Current problems">${list}</section>
${findings(status.cluster, links)}${trust(status)}${configuration(status)}`;
}

function problemRow(problem: Problem, links: Links): Markup {
  const { severity, detail, hint } = problem;
  return markup`<tr role="row"><td role="cell"><span class="chip ${severity}">${severity}</span></td><th scope="row" role="rowheader">${problemLink(problem, links)} <span class="small muted">${links.shortened(detail ?? '')}</span></th><td role="cell" class="wide">${hint}</td></tr>`;
}

function configuration({ configuration: text }: Status): Markup {
  return panel({
    id: 'configuration',
    title: 'Configuration',
    body: markup`<details id="settings"><summary data-key="settings">All settings as YAML, including defaults</summary><pre tabindex="0" role="region" aria-label="Settings" data-key="settings-text">${lines(text)}</pre></details>`,
  });
}
