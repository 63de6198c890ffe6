import { assignmentFlag } from '../setting-flags.js';
import { type CommandModel, valueFlags } from './command-model.js';

export function zshScript(program: string, commands: readonly CommandModel[]): string {
  return `#compdef ${program}
# zsh completion for ${program}
_${program}() {
  local word command expects
  local -a candidates
  integer operands=0 index
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    if [[ -n $expects ]]; then
      expects=''
    elif [[ $word == -* ]]; then
      case $word in
        (${valueFlags(commands).join('|')}) expects=$word ;;
      esac
    elif [[ -z $command ]]; then
      command=$word
    else
      (( operands += 1 ))
    fi
  done
  word=\${words[CURRENT]}
  if [[ $expects == --${assignmentFlag} ]]; then
    candidates=(${assignments(commands)})
    compadd -S '' -- $candidates
  elif [[ -n $expects ]]; then
    case "$command $expects" in
${commands.flatMap(valueCases).join('\n')}
    esac
    if (( $#candidates )); then compadd -- $candidates; else _files; fi
  elif [[ $word == -* ]]; then
    case $command in
${commands.map(flagCase).join('\n')}
    esac
    _describe -o flag candidates
  elif [[ -z $command ]]; then
    candidates=(${commands.map(({ name, description }) => described(name, description)).join(' ')})
    _describe command candidates
  else
    case "$command $operands" in
${commands.flatMap(operandCases).join('\n')}
    esac
    compadd -- $candidates
  fi
}
if [[ $funcstack[1] == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}

function assignments(commands: readonly CommandModel[]): string {
  const flag = commands.flatMap(({ flags }) => flags).find(({ names }) => names.includes(`--${assignmentFlag}`));
  return flag?.choices.join(' ') ?? '';
}

/** In quotes, for `_describe`. */
function described(name: string, description: string): string {
  return `'${`${name}:${description}`.replaceAll("'", String.raw`'\''`)}'`;
}

function valueCases({ name, flags }: CommandModel): readonly string[] {
  return flags
    .filter(({ names, choices }) => choices.length > 0 && !names.includes(`--${assignmentFlag}`))
    .map(({ names, choices }) => {
      const patterns = names.flatMap((flag) => [`'${name} ${flag}'`, `' ${flag}'`]).join('|');
      return `      (${patterns}) candidates=(${choices.join(' ')}) ;;`;
    });
}

/** Flags before the command are those of the default command, the first. */
function flagCase({ name, flags }: CommandModel, index: number): string {
  const words = flags.flatMap(({ names, description }) => names.map((flag) => described(flag, description)));
  return `      (${index === 0 ? `${name}|''` : name}) candidates=(${words.join(' ')}) ;;`;
}

function operandCases({ name, operands }: CommandModel): readonly string[] {
  return operands.flatMap((choices, index) =>
    choices.length === 0 ? [] : [`      ('${name} ${index}') candidates=(${choices.join(' ')}) ;;`],
  );
}
