import { type CommandModel, valueFlags } from './command-model.js';

export function bashScript(program: string, commands: readonly CommandModel[]): string {
  const name = `_${program.replaceAll(/\W/g, '_')}`;
  return `# bash completion for ${program}
${name}() {
  local line="\${COMP_LINE:0:COMP_POINT}" word='' command='' expects='' operands=0 index=0 candidates='' prefix=''
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  for ((index = 1; index < \${#words[@]} - 1; index++)); do
    word="\${words[index]}"
    if [[ -n $expects ]]; then
      expects=''
    elif [[ $word == -* ]]; then
      case "$word" in
        ${valueFlags(commands).join(' | ')}) expects="$word" ;;
      esac
    elif [[ -z $command ]]; then
      command="$word"
    else
      operands=$((operands + 1))
    fi
  done
  word="\${words[index]}"
  if [[ -n $expects ]]; then
    case "$command $expects" in
${commands.flatMap(valueCases).join('\n')}
    esac
  elif [[ $word == -* ]]; then
    case "$command" in
${commands.map(flagCase).join('\n')}
    esac
  elif [[ -z $command ]]; then
    candidates='${commands.map((command) => command.name).join(' ')}'
  else
    case "$command $operands" in
${commands.flatMap(operandCases).join('\n')}
    esac
  fi
  COMPREPLY=()
  while IFS='' read -r index; do
    COMPREPLY+=("$index")
  done < <(compgen -W "$candidates" -- "$word")
  # Bash replaces only what follows the last = or : of the word.
  prefix="\${word%"\${word##*[=:]}"}"
  COMPREPLY=("\${COMPREPLY[@]#"$prefix"}")
  if [[ \${COMPREPLY[0]-} == *= ]]; then
    compopt -o nospace 2> /dev/null
  fi
}
complete -o default -F ${name} ${program}
`;
}

/** Flags before the command complete as those of the default command, the first. */
function patternsOf(commands: readonly string[], suffixes: readonly string[]): string {
  return commands.flatMap((command) => suffixes.map((suffix) => `'${command}${suffix}'`)).join(' | ');
}

function valueCases({ name, flags }: CommandModel): readonly string[] {
  return flags
    .filter(({ choices }) => choices.length > 0)
    .map(({ names, choices }) => {
      const patterns = patternsOf(
        [name, ''],
        names.map((flag) => ` ${flag}`),
      );
      return `      ${patterns}) candidates='${choices.join(' ')}' ;;`;
    });
}

function flagCase({ name, flags }: CommandModel, index: number): string {
  const patterns = patternsOf(index === 0 ? [name, ''] : [name], ['']);
  return `      ${patterns}) candidates='${flags.flatMap(({ names }) => names).join(' ')}' ;;`;
}

function operandCases({ name, operands }: CommandModel): readonly string[] {
  return operands.flatMap((choices, index) =>
    choices.length === 0 ? [] : [`      '${name} ${index}') candidates='${choices.join(' ')}' ;;`],
  );
}
