import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

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

/** Every tenth case; all of them are compared with the rules themselves in `test/eviction`. */
const sampled = <T>(cases: readonly T[]): readonly T[] => cases.filter((_case, index) => index % 10 === 0);

describe.each(['1.26', '1.36', '1.37'])('explain node of recordings, as the kubelet %s decided', (version) => {
  const answers = readCases(`rank-${version}`);
  const { kubeletVersion } = answers;
  const cases = answers.cases as readonly RankCase[];

  it.each(sampled(cases).map((one) => [one.id, one] as const))(
    'explain node orders the pods of case %s as the kubelet does',
    async (_id, one) => {
      await using folder = await temporaryFolder();
      const signals = await explained(one, { folder: folder.path, kubeletVersion });
      const count = version === '1.26' ? 4 : 6;
      expect(signals.map(({ signal }) => signal).sort()).toEqual(
        one.signals.flatMap((answer) => answer.signals).sort(),
      );
      expect(signals).toHaveLength(count);
      for (const { signal, victims = [] } of signals) {
        const answer = one.signals.find((candidate) => candidate.signals.includes(signal));
        const ranks = [...new Set(victims.map(({ rank }) => rank))];
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
        expect(
          ranks.map((rank) =>
            victims
              .filter((victim) => victim.rank === rank)
              .map(({ pod }) => pod)
              .sort(),
          ),
        ).toEqual(answer?.order);
        for (const { pod, usage, request, exempt } of victims) {
          expect([usage, request, exempt]).toEqual([
            answer?.usage[pod],
            parseQuantity(one.requests[pod] ?? ''),
            one.exempt?.[pod],
          ]);
        }
      }
    },
  );
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
