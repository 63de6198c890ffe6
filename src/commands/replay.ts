import { loadSettings, type SettingFlags } from '../config/load.js';
import { noFilter } from '../metrics/exposition/selection.js';
import { recordedCore, type RecordingFlags } from '../serve/source/recorded-core.js';
import type { CommandContext } from './context.js';

/**
 * Prints the exposition of recorded summaries and API objects, as of the newest time in the summaries; without API objects,
 * of all pods. Files that cannot be read are reported on standard error. Throws UserError when no summary is left.
 */
export async function replay(
  { settings, ...recordings }: RecordingFlags & { readonly settings: SettingFlags },
  context: CommandContext,
): Promise<void> {
  const { config } = await loadSettings(settings, context);
  const { collector, exposition } = await recordedCore(recordings, {
    config,
    writeError: context.writeError,
    showsAll: false,
  });
  const { signal } = new AbortController();
  const snapshot = await collector.collect(signal);
  const { chunks } = await exposition.render(snapshot, { format: 'text', filter: noFilter }, signal);
  for (const chunk of chunks) context.writeOut(chunk.toString('utf8'));
}
