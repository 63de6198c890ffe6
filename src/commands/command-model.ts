import type { Command, Option } from 'commander';

import { listSettings } from '../config/settings.js';
import { expectsValue, optionsOf } from './flag-order.js';
import { assignmentFlag } from './setting-flags.js';

export interface FlagModel {
  /** With their dashes; the long one last. */
  readonly names: readonly string[];
  readonly description: string;
  /** What stands for the value in the usage, such as `<file>`; undefined for a switch. */
  readonly placeholder: string | undefined;
  /** Empty when the value may be anything. */
  readonly choices: readonly string[];
  readonly defaultText: string | undefined;
}

/** A command as completion and the documentation see it. */
export interface CommandModel {
  readonly name: string;
  readonly description: string;
  readonly usage: string;
  readonly flags: readonly FlagModel[];
  /** The choices of each argument. */
  readonly operands: readonly (readonly string[])[];
}

export function commandModels(program: Command): readonly CommandModel[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    usage: `${program.name()} ${command.name()} ${command.usage()}`,
    flags: [...command.options.map(flagModel), helpFlag],
    operands: command.registeredArguments.map(({ argChoices = [] }) => argChoices),
  }));
}

const helpFlag: FlagModel = {
  names: ['-h', '--help'],
  description: 'display help for command',
  placeholder: undefined,
  choices: [],
  defaultText: undefined,
};

function flagModel(option: Option): FlagModel {
  const { short, long, flags, description } = option;
  const defaultValue: unknown = option.defaultValue;
  return {
    names: [short, long].filter((name) => name !== undefined),
    description,
    placeholder: /<.*>/.exec(flags)?.[0],
    choices: long === `--${assignmentFlag}` ? assignments : (option.argChoices ?? []),
    defaultText: defaultValue === undefined ? undefined : JSON.stringify(defaultValue).replace(/^"|"$/g, ''),
  };
}

/** `cache.ttl=`, `kubelet.access=proxy`, … */
const assignments = listSettings()
  .filter(({ path }) => !path.includes('[]'))
  .flatMap(({ path, choices = [''] }) => choices.map((choice) => `${path}=${choice}`));

/**
 * Returns what the last word may be, of any beginning, with its description behind a tab; undefined for the value of a flag
 * that has no choices. Flags before the command complete as those of the default command, the first.
 */
export function candidates(words: readonly string[], program: Command): readonly string[] | undefined {
  const models = commandModels(program);
  const { flag, operands } = positionOf(words, program);
  const [name] = operands;
  const matching = name === undefined ? models : models.filter((model) => model.name === name);
  if (flag !== undefined) return choicesOf(flag, matching);
  const [command] = matching;
  if (words.at(-1)?.startsWith('-') === true) return command?.flags.flatMap(flagLines) ?? [];
  if (name === undefined) return models.map((model) => `${model.name}\t${model.description}`);
  return command?.operands[operands.length - 1] ?? [];
}

/** The place of the last word of an unfinished command line. */
export interface LinePosition {
  /** Undefined unless the word is the value of a flag. */
  readonly flag: string | undefined;
  /** Those before it: the command, and its arguments. */
  readonly operands: readonly string[];
}

export function positionOf(words: readonly string[], program: Command): LinePosition {
  const options = optionsOf(program);
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
