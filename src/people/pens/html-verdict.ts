import type { BlockOf, Line, Statement, Tone } from './document.js';
import { type Markup, markup, type MarkupContent } from './markup.js';

type LineWriter = (line: Line) => MarkupContent;

export function verdictHtml({ tone, lines, commands }: Statement, id: string, html: LineWriter): Markup {
  return markup`<section id="${id}" class="banner verdict ${tone}" aria-label="Verdict">${lines.map((of) => markup`<p><strong>${html(of)}</strong></p>`)}${commandList(commands)}</section>`;
}

/** For readers who see no colours, and for programs that read the page aloud. */
const symbols: Readonly<Record<Tone, string>> = { ok: '✓', unknown: '?', warning: '!', critical: '✕' };

/** One below the other, each with all of its sentences in one paragraph, and its own commands. */
export function verdictsHtml({ title, verdicts, more }: BlockOf<'verdicts'>, id: string, html: LineWriter): Markup {
  const item = ({ tone, lines: [first = '', ...others], commands }: Statement): Markup =>
    markup`<li class="${tone}"><p><span class="symbol" aria-hidden="true">${symbols[tone]}</span> <span class="visually-hidden">${tone}: </span><strong>${html(first)}</strong>${others.map((of) => markup` ${html(of)}`)}</p>${commandList(commands)}</li>`;
  const rest = more === undefined ? undefined : markup`<p class="more">${html(more)}</p>`;
  return markup`<section id="${id}" class="verdicts" aria-label="${title}"><ul>${verdicts.map(item)}</ul>${rest}</section>`;
}

function commandList(commands: readonly string[]): Markup | undefined {
  if (commands.length === 0) return undefined;
  return markup`<ul class="commands small">${commands.map((command) => markup`<li><code>${command}</code></li>`)}</ul>`;
}
