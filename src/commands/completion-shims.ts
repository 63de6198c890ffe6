/** Scripts that have a shell ask the hidden command what a word may be; with its exit code 1, the word may be the name of a file. */
export const shims = {
  bash: `_ephemeral_storage_exporter() {
  local line="\${COMP_LINE:0:COMP_POINT}" word
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  word="\${words[\${#words[@]} - 1]}"
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${words[0]}" __complete "\${words[@]:1}" 2> /dev/null | cut -f 1)" -- "$word"))
  # Bash replaces only what follows the last = or : of the word.
  COMPREPLY=("\${COMPREPLY[@]#"\${word%"\${word##*[=:]}"}"}")
  [[ \${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2> /dev/null
}
complete -o default -F _ephemeral_storage_exporter ephemeral-storage-exporter
`,
  zsh: `#compdef ephemeral-storage-exporter
_ephemeral_storage_exporter() {
  local found
  found=$("\${(@)words[1]}" __complete "\${(@)words[2,CURRENT]}" 2> /dev/null) || { _files; return }
  local -a candidates=(\${\${(f)found//:/\\\\:}/$'\\t'/:}) suffix
  [[ \${words[CURRENT - 1]} != --set ]] || suffix=(-S '')
  _describe candidate candidates "\${suffix[@]}"
}
if [[ $funcstack[1] == _ephemeral-storage-exporter ]]; then
  _ephemeral_storage_exporter
else
  compdef _ephemeral_storage_exporter ephemeral-storage-exporter
fi
`,
  fish: `function __ephemeral_storage_exporter
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..] 2>/dev/null
    or __fish_complete_path $words[-1]
end
complete -c ephemeral-storage-exporter -f -a '(__ephemeral_storage_exporter)'
`,
} as const;
