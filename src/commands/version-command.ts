import type { CommandContext } from './context.js';
import { type DataForm, dataText } from './text/data-text.js';

export const versionForms = ['text', 'json', 'yaml'] as const;

/** The version of the program and of what it runs on. */
export function printVersion(form: (typeof versionForms)[number], { version, writeOut }: CommandContext): void {
  const nodeVersion = process.version.replace(/^v/, '');
  const platform = `${process.platform}/${process.arch}`;
  if (form === 'text') writeOut(`ephemeral-storage-exporter ${version}, Node.js ${nodeVersion}, ${platform}\n`);
  else writeOut(dataText({ version, nodeVersion, platform }, form satisfies DataForm));
}
