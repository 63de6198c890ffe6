import path from 'node:path';

import { programName, shellWord } from '../lib/base/text.js';

export const pluginName = 'kubectl ephemeral-storage';

/** kubectl finds plugins as programs of such a name: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/ */
const pluginFile = 'kubectl-ephemeral_storage';

export function programNameOf(file: string): string {
  return path.basename(file) === pluginFile ? pluginName : programName;
}

/** Returns how a shell in any folder calls the program that was started by its file: a script, or an installed program. */
export function invocationOf(file: string): string {
  return path.extname(file) === '.js' ? `node ${shellWord(path.resolve(file))}` : programNameOf(file);
}
