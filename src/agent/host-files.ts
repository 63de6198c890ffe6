/** Files of the host. Those of the kernel are in memory, so they are read synchronously. */
import { readdirSync, readFileSync } from 'node:fs';

import { codeOf, messageOf } from '../base/errors.js';

/** Ends the fix where something is not mounted or may not be read. */
export const agentHint = 'as the overlay node-local-agent and the chart with agent.enabled do';
/** The fix where a directory may not be read. */
export const deniedHint = `add DAC_READ_SEARCH, ${agentHint}`;

/** Returns what to do about a path of the host that cannot be read, or why it cannot. */
export function causeOf(error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return `missing; mount what the host has of it, ${agentHint}`;
  return code === 'EACCES' || code === 'EPERM' ? deniedHint : `cannot be read (${code || messageOf(error)})`;
}

/** Returns the text of a file; undefined for one that cannot be read, such as that of a pod that has just ended. */
export function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns the names in a folder; none for a folder that cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
