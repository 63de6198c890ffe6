import path from 'node:path';

import { programName, shellWord } from '../base/text.js';

export const pluginName = 'kubectl ephemeral-storage';

/** kubectl finds `kubectl ephemeral-storage` as a program of this name: https://kubernetes.io/docs/tasks/extend-kubectl/kubectl-plugins/ */
export function programNameOf(file: string): string {
  return path.basename(file) === 'kubectl-ephemeral_storage' ? pluginName : programName;
}

/** Returns how a shell calls the program that was started by its file: a script, or an installed program. */
export function invocationOf(file: string, workingDir: string): string {
  if (path.extname(file) !== '.js') return programNameOf(file);
  const relative = path.relative(workingDir, file);
  return `node ${shellWord(relative.startsWith('..') ? file : relative)}`;
}
