import type { Command } from 'commander';

import { bashScript } from './bash-script.js';
import { commandModels } from './command-model.js';
import { fishScript } from './fish-script.js';
import type { shells } from './shells.js';
import { zshScript } from './zsh-script.js';

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** A script for the shell to complete commands, flags, resources and the values of flags. */
export function completionScript(shell: (typeof shells)[number], program: Command): string {
  return writers[shell](program.name(), commandModels(program));
}
