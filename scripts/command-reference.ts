import type { Command } from 'commander';

import { programName } from '../src/base/text.js';
import { type CommandModel, commandModels, type FlagModel } from '../src/commands/command-model.js';
import { exampleLines } from '../src/commands/examples.js';
import { markdownTable } from '../src/commands/metrics.js';
import { createProgram } from '../src/commands/program.js';
import { isSettingFlag, settingRows } from '../src/commands/setting-flags.js';

/** The commands with their purpose, as markdown. */
export function commandTable(): string {
  return markdownTable(
    ['Command', 'What it does'],
    models().map(({ name, description }) => [code(name), description]),
  );
}

/** Each command with its flags and their defaults, as markdown. */
export function commandReference(): string {
  return [
    ...models().map(commandSection),
    '## Flags of settings',
    'These set single settings; `--set PATH=VALUE` sets any.',
    markdownTable(
      ['Flag', 'Default', 'Setting'],
      settingRows.map(({ flag, defaultText, path }) => [code(flag), code(defaultText), code(path)]),
    ),
  ].join('\n\n');
}

function commandSection(command: CommandModel): string {
  const { name, description, usage, flags } = command;
  const own = flags.filter((flag) => !isOfSetting(flag) && nameOf(flag) !== '--help');
  return [
    `## ${name}`,
    `${description}.`,
    `\`\`\`\n${usage}\n\`\`\``,
    `\`\`\`sh\n${exampleLines(programName, name).join('\n')}\n\`\`\``,
    ...(own.length === 0 ? [] : [flagTable(own)]),
    ...(flags.every((flag) => !isOfSetting(flag))
      ? []
      : ['It also takes the [flags of settings](#flags-of-settings).']),
  ].join('\n\n');
}

function flagTable(flags: readonly FlagModel[]): string {
  return markdownTable(
    ['Flag', 'Default', 'Meaning'],
    flags.map(({ names, placeholder, choices, defaultText, description }) => {
      const values = choices.length > 0 && choices.length < 10 ? `: ${choices.map(code).join(', ')}` : '';
      const flag = [...names.slice(0, -1), `${names.at(-1) ?? ''} ${placeholder ?? ''}`.trim()].map(code).join(', ');
      return [flag, defaultText === undefined ? '' : code(defaultText), `${description}${values}`];
    }),
  );
}

function isOfSetting(flag: FlagModel): boolean {
  return isSettingFlag(nameOf(flag));
}

function nameOf({ names }: FlagModel): string {
  return names.at(-1) ?? '';
}

function code(text: string): string {
  return `\`${text}\``;
}

function models(): readonly CommandModel[] {
  const program: Command = createProgram(programName, {
    version: '',
    terminal: () => undefined,
    writeOut: () => undefined,
    writeError: () => undefined,
  });
  return commandModels(program);
}
