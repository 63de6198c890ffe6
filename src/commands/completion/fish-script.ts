import { type CommandModel, type FlagModel, valueFlags } from './command-model.js';

export function fishScript(program: string, commands: readonly CommandModel[]): string {
  const name = `__${program.replaceAll(/\W/g, '_')}`;
  const rule = `complete -c ${program}`;
  return `# fish completion for ${program}
function ${name}_operands
    set -l expects 0
    set -l tokens (commandline -opc)
    for token in $tokens[2..-1]
        if test $expects = 1
            set expects 0
            continue
        end
        switch $token
            case ${valueFlags(commands).join(' ')}
                set expects 1
            case '-*'
            case '*'
                echo $token
        end
    end
end
function ${name}_command
    set -l operands (${name}_operands)
    contains -- "$operands[1]" $argv
end
function ${name}_position
    set -l operands (${name}_operands)
    test (count $operands) = $argv[1]
end
${rule} -f
${commands.map((command) => `${rule} -n '${name}_position 0' -a ${command.name} -d ${quoted(command.description)}`).join('\n')}
${commands.flatMap((command, index) => commandRules(command, { rule, name, isDefault: index === 0 })).join('\n')}
`;
}

interface Names {
  readonly rule: string;
  readonly name: string;
  /** Flags before the command are those of the default command. */
  readonly isDefault: boolean;
}

function commandRules({ name, flags, operands }: CommandModel, names: Names): readonly string[] {
  const condition = `${names.name}_command ${name}${names.isDefault ? ' ""' : ''}`;
  return [
    ...flags.map((flag) => `${names.rule} -n '${condition}' ${flagRule(flag)}`),
    ...operands.flatMap((choices, index) =>
      choices.length === 0
        ? []
        : [`${names.rule} -n '${condition}; and ${names.name}_position ${index + 1}' -a ${quoted(choices.join(' '))}`],
    ),
  ];
}

function flagRule({ names, description, placeholder, choices }: FlagModel): string {
  const forms = names.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  const isFile = placeholder === '<file>' || placeholder === '<path>';
  const value = choices.length > 0 ? [`-x -a ${quoted(choices.join(' '))}`] : [isFile ? '-r -F' : '-x'];
  return [...forms, ...(placeholder === undefined ? [] : value), `-d ${quoted(description)}`].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
