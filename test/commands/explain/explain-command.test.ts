import { expect, it } from 'vitest';

import { explain } from '../../../src/commands/explain/explain-command.js';
import type { Document } from '../../../src/people/pens/document.js';
import type { OpenAnswers } from '../../../src/serve/source/answer-source.js';
import { aCommandContext } from '../../support/command-context.js';

const commands = [
  'kubectl ephemeral-storage explain pod shop/a',
  'kubectl ephemeral-storage explain node n',
  'kubectl get pods',
];
const document: Document = {
  title: ['Pod', 'shop/a'],
  blocks: [{ is: 'verdict', tone: 'warning', lines: ['Near.'], commands }],
  notes: ['No data from n.'],
};

function answering(...documents: readonly Document[]): OpenAnswers {
  const answer = { documents, data: { a: 1 }, causes: ['why'], maxRowCount: 1, ageNote: () => undefined };
  const answers = { list: () => Promise.reject(new Error('not asked')), explain: () => Promise.resolve(answer) };
  return (_subject, use) => use({ namespace: 'shop', read: () => Promise.resolve(answers) });
}

async function explained(output: 'text' | 'json', name = 'a'): Promise<readonly [out: string, error: string]> {
  const { context, out, error } = aCommandContext();
  const called = {
    invocation: 'node /src/dist/cli.js',
    connection: ['--context', 'my prod'],
    source: ['--from', 'kubelets'],
  };
  const options = { resource: 'pod', name, namespace: undefined, allNamespaces: false, output } as const;
  await explain(options, { open: answering(document), called }, context);
  return [out(), error()];
}

it.each(['a', 'shop/a'])(
  'explain prints the commands as it was called, without the one that was run: %s',
  async (name) => {
    const [out, error] = await explained('text', name);
    expect(out).toBe(`Near.
  node /src/dist/cli.js explain node n --context 'my prod' --from kubelets
  kubectl --context 'my prod' get pods

Pod shop/a
`);
    expect(error).toBe('No data from n.\nwhy\n');
  },
);

it('explain as JSON has the facts, and what is missing beside them', async () => {
  expect(await explained('json')).toEqual(['{\n  "a": 1\n}\n', 'No data from n.\nwhy\n']);
});
