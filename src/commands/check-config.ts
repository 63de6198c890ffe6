import { formatConfig } from '../config/format.js';
import type { CommandContext } from './context.js';
import { loadSettings, type SettingFlags } from './settings.js';

/** Prints the effective settings; throws UserError with every fault. */
export async function checkConfig(settings: SettingFlags, context: CommandContext): Promise<void> {
  const { config } = await loadSettings(settings, context);
  context.writeOut(formatConfig(config));
}
