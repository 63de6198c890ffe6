import { programName } from '../../base/text.js';

/**
 * Whether a command that an exporter returned is one of those that this project prints. People paste them into a shell: what
 * answers in the exporter's place must not choose what runs there, and neither flags that name another server.
 */
export function isKnownCommand(command: string): boolean {
  const words = wordsOf(command);
  return words !== undefined && forms.some((form) => isOfForm(words, form));
}

type CommandForm = readonly (string | RegExp | ((word: string) => boolean))[];

function isOfForm(words: readonly string[], form: CommandForm): boolean {
  return (
    words.length === form.length &&
    form.every((part, index) => {
      const word = words[index] ?? '';
      if (typeof part === 'string') return word === part;
      return typeof part === 'function' ? part(word) : part.test(word);
    })
  );
}

/** Of objects of Kubernetes, also with the namespace or the type; no flag. */
const name = /^[A-Za-z0-9][\w.:/-]*$/;
const kind = /^(?:pod|workload|node|eviction)$/;
const size = /^--(?:limits|requests)=ephemeral-storage=\d+[MG]i$/;
const sizeLimitPatch =
  /^\{"spec":(?:\{"jobTemplate":\{"spec":)?\{"template":\{"spec":\{"volumes":\[\{"name":"[\w.-]+","emptyDir":\{"sizeLimit":"\d+[MG]i"\}\}\]\}\}\}(?:\}\})?\}$/;
const onObject = ['-n', name, name] as const;
const ofContainer = ['kubectl', 'set', 'resources', ...onObject, '-c', name] as const;
const explain = [programName, 'explain', kind, name] as const;

const forms: readonly CommandForm[] = [
  explain,
  [...explain, '--directories'],
  [...explain, '--directories', '-c', name],
  ['kubectl', 'get', 'nodes'],
  ['kubectl', 'get', 'pods', '-A', '--sort-by=.spec.priority', '--field-selector', /^spec\.nodeName=[\w.-]+$/],
  ['kubectl', 'get', '--raw', /^\/api\/v1\/nodes\/[\w.%-]+\/proxy\/(?:configz|stats\/summary)$/],
  ['kubectl', 'describe', 'node', name],
  ['kubectl', 'describe', 'pod', ...onObject],
  ['kubectl', 'delete', 'pod', ...onObject],
  ['kubectl', 'edit', ...onObject],
  ['kubectl', 'logs', ...onObject, '-c', name, '--tail=20'],
  [...ofContainer, size],
  [...ofContainer, size, size],
  ['kubectl', 'patch', ...onObject, '--type=strategic', '-p', sizeLimitPatch],
  [
    ...['kubectl', 'debug', /^node\/[A-Za-z0-9][\w.-]*$/, '-it', '--profile=sysadmin', '--image=busybox'],
    ...['--', 'chroot', '/host', 'sh', '-c', isNodeCommand],
  ],
  ['ssh', name, (word) => word.startsWith('sudo ') && isNodeCommand(word.slice('sudo '.length))],
];

/** Programs that look at a node, and the removal of images that nothing uses, in a pipe. */
function isNodeCommand(command: string): boolean {
  const words = wordsOf(command, '|');
  if (words === undefined) return false;
  const stages = words.join('\n').split('\n|\n');
  return stages.every((stage) => nodePrograms.some((program) => program.test(stage)));
}

/** A word a line. */
const nodePrograms = [
  /^crictl\nrmi\n--prune$/,
  /^crictl\n(?:images|ps)(?:\n-a)?$/,
  /^du\n(?:--inodes\n)?-[a-z\d]+(?:\n\/.*)+$/,
  /^journalctl(?:\n--disk-usage|\n--no-pager|\n-u\nkubelet|\n-n\n\d+)*$/,
  /^lsof\n\+L1$/,
  /^sort\n-[hnr]+$/,
  /^(?:head|tail)\n-\d+$/,
];

/** What a word may be made of, as `shellWord` writes it: nothing that a shell would expand or obey. */
const wordPattern = /(?:[\w./:@=,%+-]+|'[^'\p{Cc}]*'|"[\w ']*")+/uy;

/**
 * Returns the words of a command as a shell would; undefined where it would do more than run one program. `operator`: may stand
 * between words.
 */
function wordsOf(command: string, operator?: string): readonly string[] | undefined {
  const words: string[] = [];
  let offset = 0;
  for (;;) {
    wordPattern.lastIndex = offset;
    const [found] = wordPattern.exec(command) ?? [];
    if (found !== undefined) words.push(unquoted(found));
    else if (operator !== undefined && command.startsWith(operator, offset)) words.push(operator);
    else return undefined;
    offset += (found ?? operator ?? '').length;
    if (offset === command.length) return words;
    if (command[offset] !== ' ') return undefined;
    offset += 1;
  }
}

function unquoted(word: string): string {
  return word.replaceAll(/'(?<single>[^']*)'|"(?<double>[^"]*)"/g, '$<single>$<double>');
}
