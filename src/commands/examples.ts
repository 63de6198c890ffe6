import { type Command, InvalidArgumentError } from 'commander';

interface CommandExample {
  readonly purpose: string;
  /** What follows the name of the program. */
  readonly args: string;
  /** What the shell does with COMMAND; alone without it. */
  readonly shell?: string;
}

/** For the help of each command, and for the documentation. */
const examples: Readonly<Record<string, readonly CommandExample[]>> = {
  serve: [
    { purpose: 'Serve the cluster of the current context on port 9797', args: 'serve' },
    {
      purpose: 'Serve another cluster, whose kubelets cannot be reached from here',
      args: 'serve --context staging --set kubelet.access=proxy',
    },
    {
      purpose: 'Serve with a settings file on one address',
      args: 'serve --config.file config.yaml --web.listen-address 127.0.0.1:9797',
    },
  ],
  demo: [
    { purpose: 'Serve a simulated cluster', args: 'demo' },
    { purpose: 'Serve one in which logs flood the disks', args: 'demo --scenario log-flood' },
    { purpose: 'Serve it on another port', args: 'demo --web.listen-address 127.0.0.1:8080' },
  ],
  simulate: [
    { purpose: 'Run a simulated cluster and print the path of its kubeconfig', args: 'simulate' },
    { purpose: 'Run a larger one in which logs flood the disks', args: 'simulate --nodes 20 --scenario log-flood' },
  ],
  top: [
    { purpose: 'Show what is evicted next', args: 'top next' },
    { purpose: 'Show the largest pods of all namespaces', args: 'top pods -A --limit 10' },
    { purpose: 'Show the pods of one app, every 5 s', args: 'top pods -n shop -l app=cart -w' },
    {
      purpose: 'Print namespace, name and bytes of each pod',
      args: 'top pods -A -o json',
      shell: "COMMAND | jq -r '.[] | [.namespace, .pod, .usedBytes] | @tsv'",
    },
  ],
  explain: [
    { purpose: 'Show what adds up to the usage of a pod', args: 'explain pod cart-0 -n shop' },
    { purpose: 'Show the pods of a workload', args: 'explain workload shop/deployment/cart' },
    { purpose: 'Show whom a node would evict first', args: 'explain node node-1' },
    {
      purpose: 'Print the bytes in use on each filesystem of a node',
      args: 'explain node node-1 -o json',
      shell: "COMMAND | jq -r '.filesystems[] | [.filesystem, .usedBytes] | @tsv'",
    },
  ],
  'check-config': [
    { purpose: 'Validate a settings file', args: 'check-config config.yaml' },
    {
      purpose: 'Print the effective settings with one of them changed',
      args: 'check-config config.yaml --set cache.ttl=30s',
    },
  ],
  replay: [
    { purpose: 'Print the metrics of recorded kubelet summaries', args: 'replay --summaries summaries' },
    {
      purpose: 'Use the pods and nodes that were recorded with them',
      args: 'replay --summaries summaries --objects objects --set metrics.profile=full',
    },
  ],
  metrics: [
    { purpose: 'Print the table of metrics', args: 'metrics' },
    { purpose: 'Print what metrics.compatibility adds or changes', args: 'metrics --compatibility' },
  ],
};

/** Returns the arguments of each example of the command. */
export function exampleArguments(command: string): readonly string[] {
  return (examples[command] ?? []).map(({ args }) => args);
}

/** `options` lists the flags that the help of other commands leaves out. */
export function addOptions(program: Command): void {
  const hidden = program.commands.flatMap(({ options }) => options.filter((option) => option.hidden));
  const command = program.command('options').description('List the flags that the help of top and explain leaves out');
  for (const { flags, description } of new Map(hidden.map((option) => [option.flags, option])).values())
    command.option(flags, description);
  command.action(() => {
    command.outputHelp();
  });
}

/** Ends the help of each command with its examples, and names one to those who ask for templates of kubectl. */
export function addExamples(program: Command): void {
  for (const command of program.commands) {
    const lines = (examples[command.name()] ?? []).map(
      (example) => `\n  # ${example.purpose}\n  ${lineOf(program.name(), example)}`,
    );
    const isShort = command.options.some((option) => option.hidden);
    const more = isShort ? `\nFlags of the connection, and more: ${program.name()} options\n` : '';
    if (lines.length > 0) command.addHelpText('afterAll', `${more}\nExamples:${lines.join('')}`);
    refuseTemplates(program, command);
  }
}

function lineOf(program: string, { args, shell = 'COMMAND' }: CommandExample): string {
  return shell.replace('COMMAND', () => `${program} ${args}`);
}

/** https://kubernetes.io/docs/reference/kubectl/#formatting-output */
const templateForm = /^(?:jsonpath|go-template|template|custom-columns)/;

function refuseTemplates(program: Command, command: Command): void {
  const option = command.options.find(({ long }) => long === '--output');
  const example = examples[command.name()]?.find(({ shell = '' }) => shell.includes('jq'));
  const { parseArg } = option ?? {};
  if (option === undefined || parseArg === undefined || example === undefined) return;
  option.argParser((text, previous) => {
    if (!templateForm.test(text)) return parseArg(text, previous);
    throw new InvalidArgumentError(`instead of templates, use jq: ${lineOf(program.name(), example)}`);
  });
}
