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
    {
      purpose: 'Use a fixed port, with a kubelet that never responds',
      args: 'simulate --port 6443 --fault node-3=hang',
    },
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
    { purpose: 'Validate a settings file', args: 'check-config --config.file config.yaml' },
    {
      purpose: 'Print the effective settings with one of them changed',
      args: 'check-config --config.file config.yaml --set cache.ttl=30s',
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
  version: [
    { purpose: 'Show the versions of the program and of Node.js', args: 'version' },
    { purpose: 'Print the version alone', args: 'version -o json', shell: 'COMMAND | jq -r .version' },
  ],
};

/** Returns lines to copy, each with its purpose as a comment before it. */
function exampleLines(program: string, command: string): readonly string[] {
  return (examples[command] ?? []).flatMap((example) => [`# ${example.purpose}`, lineOf(program, example)]);
}

/** Returns the arguments of each example of the command. */
export function exampleArguments(command: string): readonly string[] {
  return (examples[command] ?? []).map(({ args }) => args);
}

/** Ends the help of each command with its examples, and names one to those who ask for templates of kubectl. */
export function addExamples(program: Command): void {
  for (const command of program.commands) {
    const lines = exampleLines(program.name(), command.name()).map((line) => `\n  ${line}`);
    command.addHelpText('after', `\nExamples:${lines.join('')}`);
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
