import path from 'node:path';

import { programName, shellWord } from '../lib/base/text.js';

/** kubectl finds plugins as programs of such a name: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/ */
const pluginFile = 'kubectl-ephemeral_storage';

/** Returns how a shell in any folder calls the program that was started by its file: a script, or an installed program. */
export function invocationOf(file: string): string {
  if (path.extname(file) === '.js') return `node ${shellWord(path.resolve(file))}`;
  const name = path.basename(file);
  return name === pluginFile ? programName : name;
}
