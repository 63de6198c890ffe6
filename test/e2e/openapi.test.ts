// @module-tag sockets

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';

import { demoScenario } from '../../sim/model/demo-scenario.js';
import type { Scenario } from '../../sim/model/scenario.js';
import type { EvictionReport } from '../../src/people/report/eviction-report.js';
import type { PodReport } from '../../src/people/report/pod-report.js';
import type { WorkloadReport } from '../../src/people/report/workload-report.js';
import { Exporter } from '../support/exporter.js';
import { mib } from '../support/units.js';

/** The demo, with a pod above a limit of 0 and one that is not scheduled. */
const troubled: Scenario = {
  ...demoScenario,
  kubeletsEvict: false,
  populate: (context) => {
    demoScenario.populate(context);
    const [node] = context.model.nodes;
    const container = { name: 'main', rootfs: { initialBytes: mib }, logs: { initialBytes: mib } };
    const pod = { namespace: 'shop', name: 'none-allowed', containers: [{ ...container, limitBytes: 0 }] };
    context.model.addPod({ ...pod, nodeName: node?.spec.name ?? '' });
  },
};

type Operations = Readonly<
  Record<string, { readonly get: { readonly parameters?: readonly { readonly name: string }[] } }>
>;

/** Asks for everything, and remembers what was found to be in accord with the description. */
class DescribedApi {
  readonly #exporter: Exporter;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #askedPaths = new Set<string>();
  readonly paths: Operations;

  private constructor(exporter: Exporter, document: { readonly paths: Operations }) {
    this.#exporter = exporter;
    this.paths = document.paths;
    this.#ajv.addSchema(document, 'api');
  }

  static async of(exporter: Exporter): Promise<DescribedApi> {
    const answer = await exporter.get('/api/v1/openapi.json');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    return new DescribedApi(exporter, JSON.parse(answer.text) as { paths: Operations });
  }

  get unaskedPaths(): readonly string[] {
    return Object.keys(this.paths).filter((path) => !this.#askedPaths.has(path));
  }

  /** `path`: as the document has it; `{…}` in it is replaced by the parts, in their order. */
  async ask<T>(path: string, parts: readonly string[] = [], query = ''): Promise<T> {
    this.#askedPaths.add(path);
    const left = [...parts];
    const address = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ''));
    const answer = await this.#exporter.get(`/api/v1${address}${query}`);
    expect([address, answer.status]).toEqual([address, 200]);
    const body = JSON.parse(answer.text) as T;
    expect([address, this.faults(path, body)]).toEqual([address, []]);
    return body;
  }

  faults(path: string, body: unknown): readonly string[] {
    const pointer = `/paths/${path.replaceAll('/', '~1')}/get/responses/200/content/application~1json/schema`;
    const validate: ValidateFunction | undefined = this.#ajv.getSchema(`api#${encodeURI(pointer)}`);
    if (validate === undefined) throw new Error(`no schema of ${path}`);
    validate(body);
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath} ${error.message ?? ''} ${JSON.stringify(error.params)}`,
    );
  }
}

interface Items<T> {
  readonly items: readonly T[];
}

const all = '?limit=1000';

async function askForAll(api: DescribedApi): Promise<string> {
  const answers: unknown[] = [
    await api.ask('/status'),
    await api.ask('/openapi.json'),
    await api.ask('/problems', [], all),
    await api.ask('/containers', [], all),
    await api.ask('/volumes', [], all),
    await api.ask('/search', [], '?search=a'),
  ];
  const nodes = await api.ask<Items<{ readonly node: string }>>('/nodes', [], all);
  for (const { node } of nodes.items) answers.push(await api.ask('/nodes/{node}', [node]));
  const pods = await api.ask<Items<PodReport>>('/pods', [], all);
  for (const of of pods.items) answers.push(await api.ask('/pods/{namespace}/{pod}', [of.namespace, of.pod]));
  const workloads = await api.ask<Items<WorkloadReport>>('/workloads', [], all);
  for (const { workloadNamespace, workloadType, workload } of workloads.items) {
    const parts = [workloadNamespace || '-', workloadType, workload];
    answers.push(await api.ask('/workloads/{namespace}/{type}/{workload}', parts));
  }
  const namespaces = await api.ask<Items<{ readonly namespace: string }>>('/namespaces', [], all);
  for (const { namespace } of namespaces.items) answers.push(await api.ask('/namespaces/{namespace}', [namespace]));
  const evictions = await api.ask<Items<EvictionReport>>('/evictions', [], all);
  for (const { uid } of evictions.items) answers.push(await api.ask('/evictions/{uid}', [uid]));
  return JSON.stringify([answers, nodes, pods, workloads, namespaces, evictions]);
}

it('all that the API answers of a troubled cluster is as its description says', { timeout: 120_000 }, async () => {
  await using exporter = await Exporter.start({
    scenario: troubled,
    settings: 'workloads: {selectors: [{name: everything, selector: "!missing"}, {name: carts, selector: app=cartt}]}',
  });
  await exporter.settled();
  const healthy = await askForAll(await DescribedApi.of(exporter));
  const [first, second] = exporter.cluster.model.nodes;
  await exporter.cluster.setFault(first?.spec.name ?? '', 'status:500');
  await exporter.cluster.setFault(second?.spec.name ?? '', 'empty');
  const victim = exporter.cluster.model.pods.find(({ spec }) => spec.nodeName === first?.spec.name);
  if (victim === undefined) throw new Error('a node has a pod');
  exporter.cluster.model.evictPod(victim, {
    message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
    isForNode: false,
  });
  await exporter.clock.advance(180_000);
  const api = await DescribedApi.of(exporter);
  const silent = await askForAll(api);
  expect(api.unaskedPaths).toEqual([]);
  for (const found of [
    '"state":"absent"',
    '"state":"unmeasured"',
    '"lastKnown":',
    '"lastUsage":',
    '"ratio":"+Inf"',
    '"counted":"volume","samples":[{"atMs":',
  ]) {
    expect([found, healthy.includes(found) || silent.includes(found)]).toEqual([found, true]);
  }
});

it('a field that is not described is a fault, and so is one that lacks', async () => {
  await using exporter = await (await Exporter.start({ scenario: demoScenario })).settled();
  const api = await DescribedApi.of(exporter);
  const {
    items: [pod, ...others],
    ...rest
  } = await api.ask<Items<PodReport>>('/pods');
  const { namespace, ...nameless } = pod ?? { namespace: '' };
  expect(api.faults('/pods', { ...rest, items: [pod, ...others], more: 1 })).not.toEqual([]);
  expect(api.faults('/pods', { ...rest, items: [{ ...pod, more: namespace }, ...others] })).not.toEqual([]);
  expect(api.faults('/pods', { ...rest, items: [nameless, ...others] })).not.toEqual([]);
});

it('each parameter that is described is taken, and no other one', async () => {
  await using exporter = await (await Exporter.start({ scenario: demoScenario })).settled();
  const api = await DescribedApi.of(exporter);
  const [cart = expect.unreachable()] = (await api.ask<Items<WorkloadReport>>('/workloads')).items;
  const values: Readonly<Record<string, string>> = {
    node: 'node-1',
    rule: 'pod',
    only: 'near',
    counted: 'yes',
    offset: '0',
    limit: '5',
    search: 'a',
    workload: [cart.workloadNamespace || '-', cart.workloadType, cart.workload].join('/'),
  };
  for (const [path, { get }] of Object.entries(api.paths).filter(([name]) => !name.includes('{'))) {
    for (const { name } of get.parameters ?? []) {
      const value = ['order', 'name'].includes(name) ? '' : (values[name] ?? 'a');
      await api.ask(path, [], `?${name}=${value}`);
    }
  }
  expect((await exporter.get('/api/v1/problems?namespace=a')).status).toBe(400);
});
