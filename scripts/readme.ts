import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { commandTable } from '../src/commands/command-line.js';
import { markdownTable } from '../src/commands/markdown.js';
import { metricsTable } from '../src/commands/metrics.js';
import { listSettings } from '../src/config/settings.js';

/** The README with its generated tables brought up to date, formatted. */
export async function renderReadme(readme: string): Promise<string> {
  const text = [
    ['commands', commandTable()],
    ['settings', settingsTable()],
    ['metrics', metricsTable()],
  ].reduce((text, [name, table]) => replaceSection(text, name ?? '', table ?? ''), readme);
  return format(text, { parser: 'markdown', ...(await resolveConfig(fileURLToPath(import.meta.url))) });
}

function replaceSection(text: string, name: string, table: string): string {
  const section = new RegExp(`(<!-- ${name}:begin -->\n)[^]*?(<!-- ${name}:end -->)`);
  if (!section.test(text)) throw new Error(`README.md has no section ${name}`);
  return text.replace(section, (_match, begin: string, end: string) => `${begin}\n${table}\n\n${end}`);
}

function settingsTable(): string {
  const code = (text: string): string => `\`${text}\``;
  return markdownTable(
    ['Setting', 'Default', 'Allowed', 'Meaning'],
    listSettings().map((setting) => [code(setting.path), code(setting.defaultText), setting.allowed, setting.help]),
  );
}
