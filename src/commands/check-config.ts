import { loadSettings, loadWeb, type SettingFlags } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { formatConfig } from '../config/settings.js';
import { readUsable, UnusableFileError } from '../facts/history/eviction-file.js';
import { terminalText } from '../people/pens/terminal-text.js';
import { settingWarnings } from '../serve/app/setting-warnings.js';
import type { CommandContext } from './context.js';

/**
 * Prints the effective settings, and what is allowed but hardly meant. Throws UserError with every fault, of the file of
 * `web.configFile` too.
 */
export async function checkConfig(settings: SettingFlags, context: CommandContext): Promise<void> {
  const { config } = await loadSettings(settings, context);
  await loadWeb(config);
  await warnOfEvictionFile(config, context);
  for (const [text, fields] of settingWarnings(config)) {
    const about = Object.entries(fields).map(([name, value]) => ` (${name} ${String(value)})`);
    context.writeError(`warning: ${terminalText(`${text}${about.join('')}`)}\n`);
  }
  context.writeOut(formatConfig(config));
}

/** Where the exporter will run, the file may be another one: a warning. */
async function warnOfEvictionFile({ evictions: { file } }: Config, { writeError }: CommandContext): Promise<void> {
  if (file === undefined) return;
  await readUsable(file).catch((error: unknown) => {
    if (!(error instanceof UnusableFileError)) throw error;
    writeError(`warning: evictions.file ${terminalText(file)}: ${terminalText(error.message)}: ${error.fix}\n`);
  });
}
