import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { expect, it } from 'vitest';

import { parseQuantity } from '../../../src/cluster/kube/quantity.js';
import { runExplain } from '../../../src/commands/reading-commands.js';
import type { SignalReport } from '../../../src/people/report/signal-report.js';
import { aCommandContext } from '../../support/command-context.js';
import { type CaseInput, readCases } from '../../support/kubelet-answers.js';
import { temporaryFolder } from '../../support/programs.js';

interface RankCase extends CaseInput {
  readonly requests: Readonly<Record<string, string>>;
  readonly exempt?: Readonly<Record<string, string>>;
  readonly signals: readonly {
    readonly signals: readonly string[];
    readonly order: readonly (readonly string[])[];
    readonly usage: Readonly<Record<string, number>>;
  }[];
  readonly pass: { readonly node: { readonly fs: object; readonly imageFs?: object } };
}

/** Every tenth case, of kubelets with other signals: all of them are compared with the ranking itself in victim-cases. */
const sampled = ['1.26', '1.37'].flatMap((version) => {
  const { kubeletVersion, cases } = readCases(`rank-${version}`);
  const some = (cases as readonly RankCase[]).filter((_case, index) => index % 10 === 0);
  return some.map((one) => [one.id, kubeletVersion, one] as const);
});

it.each(sampled)('explain node of the recording %s orders pods as the kubelet %s did', async (_id, version, one) => {
  await using folder = await temporaryFolder();
  const signals = await explained(one, { folder: folder.path, kubeletVersion: version });
  const shown = signals.map(({ signal, victims = [] }) => {
    const ranks = [...new Set(victims.map(({ rank }) => rank))];
    const order = ranks.map((rank) => victims.flatMap((victim) => (victim.rank === rank ? [victim.pod] : [])).sort());
    const pods = victims.map(({ pod, usage, request, exempt }) => [pod, usage, request, exempt]);
    return { signal, order, pods };
  });
  const answered = signals.map(({ signal, victims = [] }) => {
    const { order, usage } = one.signals.find(({ signals: of }) => of.includes(signal)) ?? expect.unreachable(signal);
    const pods = victims.map(({ pod }) => [pod, usage[pod], parseQuantity(one.requests[pod] ?? ''), one.exempt?.[pod]]);
    return { signal, order, pods };
  });
  expect(shown).toEqual(answered);
  expect(signals.map(({ signal }) => signal).sort()).toEqual(one.signals.flatMap(({ signals: of }) => of).sort());
});

async function explained(
  { layout, pods, stats, pass }: RankCase,
  { folder, kubeletVersion }: { readonly folder: string; readonly kubeletVersion: string },
): Promise<readonly SignalReport[]> {
  const { fs, imageFs = fs } = pass.node;
  const runtime = { imageFs, containerFs: layout === 'dedicated' ? imageFs : fs };
  const node = { kind: 'Node', metadata: { name: 'n1', uid: 'n1' }, status: { nodeInfo: { kubeletVersion } } };
  const objects = pods.map((pod) => ({ kind: 'Pod', ...pod, spec: { ...specOf(pod), nodeName: 'n1' } }));
  const [summaries, objectsFolder] = [path.join(folder, 'summaries'), path.join(folder, 'objects')];
  await mkdir(summaries);
  await mkdir(objectsFolder);
  await writeFile(
    path.join(summaries, 'n1.json'),
    JSON.stringify({ node: { nodeName: 'n1', fs, runtime }, pods: stats }),
  );
  await writeFile(path.join(objectsFolder, 'all.json'), JSON.stringify({ kind: 'List', items: [node, ...objects] }));
  const { context, out } = aCommandContext();
  await runExplain(
    { resource: 'node', name: 'n1', namespace: undefined, allNamespaces: false, output: 'json' },
    {
      exporter: undefined,
      settings: { configFile: undefined, values: {} },
      kubeconfigPath: undefined,
      overrides: {},
      recordings: { summaries, objects: objectsFolder },
    },
    context,
  );
  return (JSON.parse(out()) as { signals: readonly SignalReport[] }).signals;
}

function specOf(pod: object): object {
  return 'spec' in pod && typeof pod.spec === 'object' && pod.spec !== null ? pod.spec : {};
}
