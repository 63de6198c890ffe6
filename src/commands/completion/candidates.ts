import type { Command, Option } from 'commander';

import { type CommandModel, commandModels, type FlagModel } from '../command-model.js';
import { expectsValue, optionsOf } from '../flag-order.js';

/**
 * Returns what the last word may be, of any beginning, with its description behind a tab; undefined for the value of a flag
 * that has no choices. Flags before the command complete as those of the default command, the first.
 */
export function candidates(words: readonly string[], program: Command): readonly string[] | undefined {
  const models = commandModels(program);
  const { flag, operands } = positionOf(words, optionsOf(program));
  const [name] = operands;
  const matching = name === undefined ? models : models.filter((model) => model.name === name);
  if (flag !== undefined) return choicesOf(flag, matching);
  const [command] = matching;
  if (words.at(-1)?.startsWith('-') === true) return command?.flags.flatMap(flagLines) ?? [];
  if (name === undefined) return models.map((model) => `${model.name}\t${model.description}`);
  return command?.operands[operands.length - 1] ?? [];
}

/** Returns the operands before the last word, and the flag whose value it is. */
function positionOf(
  words: readonly string[],
  options: readonly Option[],
): { flag: string | undefined; operands: readonly string[] } {
  const operands: string[] = [];
  let flag: string | undefined;
  for (const word of words.slice(0, -1)) {
    if (flag !== undefined) flag = undefined;
    else if (expectsValue(word, options)) flag = word;
    else if (!word.startsWith('-')) operands.push(word);
  }
  return { flag, operands };
}

function choicesOf(flag: string, commands: readonly CommandModel[]): readonly string[] | undefined {
  const flags = commands.flatMap((command) => command.flags);
  return flags.find(({ names, choices }) => names.includes(flag) && choices.length > 0)?.choices;
}

function flagLines({ names, description }: FlagModel): readonly string[] {
  return names.map((name) => `${name}\t${description}`);
}
