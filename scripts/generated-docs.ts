/** The pages whose tables are made from the code, and the functions that make them. */
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { markdownTable } from '../src/commands/metrics.js';
import { listSettings, type SettingRow } from '../src/config/settings.js';
import { familyTable } from '../src/exposition/families.js';
import type { FamilyRow } from '../src/exposition/family.js';
import { selfFamilies } from '../src/telemetry/self-families.js';
import { chartValuesTable } from './chart-values.js';
import { commandReference, commandTable } from './command-reference.js';
import { parameterRows } from './openapi/document.js';
import { profileTable } from './profile-table.js';
import { versionsTable } from './versions-table.js';

type Sections = Readonly<Record<string, () => string | Promise<string>>>;

/** For each page its sections: `<!-- NAME:begin -->` to `<!-- NAME:end -->` is replaced by what the function returns. */
const generatedPages: Readonly<Record<string, Sections>> = {
  'docs/metrics.md': {
    profiles: profileTable,
    families: () => familiesTable(({ level }) => level !== 'exporter'),
    self: () => familiesTable(({ level }) => level === 'exporter'),
  },
  'docs/settings.md': { settings: settingsTables },
  'charts/ephemeral-storage-exporter/README.md': { values: chartValuesTable },
  'docs/versions.md': { versions: versionsTable },
  'docs/api.md': { parameters: parametersTable },
  'docs/cli.md': { commands: commandTable, reference: commandReference },
};

export const generatedPageNames: readonly string[] = Object.keys(generatedPages);

/** The page with its generated sections brought up to date, formatted. */
export async function renderPage(name: string, text: string): Promise<string> {
  let page = text;
  for (const [section, render] of Object.entries(generatedPages[name] ?? {})) {
    page = replaceSection(page, section, await render());
  }
  return format(page, { parser: 'markdown', ...(await resolveConfig(fileURLToPath(import.meta.url))) });
}

function replaceSection(text: string, name: string, content: string): string {
  const section = new RegExp(`(<!-- ${name}:begin -->\n)[^]*?(<!-- ${name}:end -->)`);
  if (!section.test(text)) throw new Error(`the page has no section ${name}`);
  return text.replace(section, (_match, begin: string, end: string) => `${begin}\n${content}\n\n${end}`);
}

const code = (text: string): string => `\`${text}\``;

function familiesTable(isWanted: (family: FamilyRow) => boolean): string {
  return markdownTable(
    ['Family', 'Type', 'Labels', 'Profile', 'Meaning'],
    familyTable(Object.values(selfFamilies))
      .filter(isWanted)
      .map(({ name, type, labels, level, profile, help }) => [
        code(name),
        type,
        labels.map(code).join(', '),
        level === 'exporter' ? 'all' : profile,
        help,
      ]),
  );
}

function parametersTable(): string {
  return markdownTable(
    ['Parameter', 'Of', 'Allowed', 'Meaning'],
    parameterRows().map(([name, ...row]) => [code(name), ...row]),
  );
}

/** One table for each section of the configuration file; settings outside any section have their own. */
function settingsTables(): string {
  const sectionOf = ({ path }: SettingRow): string => (path.includes('.') ? path.slice(0, path.indexOf('.')) : '');
  const settings = listSettings();
  return [...new Set(settings.map(sectionOf))]
    .map((section) => `${headingOf(section)}\n\n${settingsTable(settings.filter((row) => sectionOf(row) === section))}`)
    .join('\n\n');
}

function headingOf(section: string): string {
  return section === '' ? '### Top level' : `### ${code(section)}`;
}

function settingsTable(rows: readonly SettingRow[]): string {
  return markdownTable(
    ['Setting', 'Default', 'Meaning', 'Flag and environment variable'],
    rows.map((row) => [
      code(row.path),
      code(row.defaultText),
      `${row.help} Allowed: ${row.allowed}.`,
      [row.flag, row.environmentName].flatMap((name) => (name === undefined ? [] : [code(name)])).join('<br>'),
    ]),
  );
}
