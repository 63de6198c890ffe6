/** The pages whose tables are made from the code, and the functions that make them. */
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { markdownTable } from '../src/commands/metrics.js';
import { listSettings, type SettingRow } from '../src/config/settings.js';
import { familyTable } from '../src/metrics/exposition/families.js';
import type { FamilyRow } from '../src/metrics/exposition/family.js';
import { selfFamilies } from '../src/metrics/telemetry/self-families.js';
import { commandTable } from './command-reference.js';
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
  'docs/settings.md': { settings: settingsFile, flags: flagsTable },
  'docs/versions.md': { versions: versionsTable },
  'docs/api.md': { parameters: parametersTable },
  'docs/cli.md': { commands: commandTable },
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
    ['Metric', 'Labels', 'Profile', 'Meaning'],
    familyTable(Object.values(selfFamilies))
      .filter(isWanted)
      .map(({ name, labels, profile, help }) => [
        code(name),
        labels.map(code).join(', '),
        profile,
        firstSentence(help),
      ]),
  );
}

function parametersTable(): string {
  return markdownTable(
    ['Parameter', 'Of', 'Allowed', 'Meaning'],
    parameterRows().map(([name, ...row]) => [code(name), ...row]),
  );
}

/** Returns the help up to the end of its first sentence: `metrics` prints all of it. */
function firstSentence(help: string): string {
  return /^[^]*?\.(?= [A-Z]|$)/.exec(help)?.[0] ?? help;
}

/** Writes the defaults of all settings as a configuration file, with the help of each as its comment. */
function settingsFile(): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const row of listSettings().filter(({ path, isOfProcess }) => !path.includes('[]') && !isOfProcess)) {
    const keys = row.path.split('.');
    const sections = keys.slice(0, -1);
    const shared = sections.findIndex((key, depth) => open[depth] !== key);
    for (const [depth, key] of sections.entries()) {
      if (shared >= 0 && depth >= shared) lines.push(`${indent(depth)}${key}:`);
    }
    open = sections;
    lines.push(...settingLines(row, keys));
  }
  return `\`\`\`yaml\n${lines.join('\n')}\n\`\`\``;
}

function flagsTable(): string {
  return markdownTable(
    ['Flag', 'Variable', 'Default', 'Meaning'],
    listSettings()
      .filter(({ isOfProcess }) => isOfProcess)
      .map(({ flag = '', environmentName = '', defaultText, help }) => [
        code(flag),
        code(environmentName),
        defaultText,
        help,
      ]),
  );
}

const indent = (depth: number): string => '  '.repeat(depth);

function settingLines({ help, flag, defaultText }: SettingRow, keys: readonly string[]): readonly string[] {
  const depth = keys.length - 1;
  const comment = flag === undefined ? help : `${help} Flag: ${flag}.`;
  const value = `${keys.at(-1) ?? ''}: ${defaultText}`;
  return [...wrapped(comment, 130 - 2 * depth).map((line) => `${indent(depth)}# ${line}`), `${indent(depth)}${value}`];
}

function wrapped(text: string, width: number): readonly string[] {
  return text.match(new RegExp(`.{1,${width}}(?:\\s|$)`, 'g'))?.map((line) => line.trim()) ?? [];
}
