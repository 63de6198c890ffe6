import path from 'node:path';

import { programName, shellWord } from '../base/text.js';

export const pluginName = 'kubectl ephemeral-storage';

/**
 * kubectl finds plugins, and what completes their arguments, as programs of these names.
 * https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/
 */
export const pluginFiles = {
  command: 'kubectl-ephemeral_storage',
  completion: 'kubectl_complete-ephemeral_storage',
} as const;

export function programNameOf(file: string): string {
  return Object.values(pluginFiles).some((name) => name === path.basename(file)) ? pluginName : programName;
}

/** Returns how a shell in any folder calls the program that was started by its file: a script, or an installed program. */
export function invocationOf(file: string): string {
  return path.extname(file) === '.js' ? `node ${shellWord(path.resolve(file))}` : programNameOf(file);
}
