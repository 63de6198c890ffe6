import type { Command, Option } from 'commander';

import { listSettings } from '../config/settings.js';
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
