import { UserError } from '../../lib/base/errors.js';
import { programName } from '../../lib/base/text.js';
import { evictionDocument } from '../../people/answers/eviction.js';
import { namespaceDocument } from '../../people/answers/namespace.js';
import { nodeDocument } from '../../people/answers/node.js';
import { podDocument } from '../../people/answers/pod.js';
import { workloadDocument } from '../../people/answers/workload-document.js';
import { terminalText } from '../../people/pens/terminal-text.js';
import { maxLimit } from '../../people/query/list-query.js';
import { workloadWithPods } from '../../people/query/workload-explanation.js';
import { causeText } from '../../people/report/eviction-cause-text.js';
import type { EvictionReport } from '../../people/report/eviction-report.js';
import { explainEviction } from '../../people/report/verdict-commands.js';
import { NotFoundError } from '../../people/status/view-errors.js';
import type { ObjectQuestion, ObjectResource } from './answer-source.js';
import { notFound, tooManyAlike } from './not-found.js';
import type { CommandObject, FoundDocuments, ObjectAnswer, ViewReader } from './view-source.js';
import { findWorkload, isNamed } from './workload-lookup.js';

type Question = ObjectQuestion & { readonly reader: ViewReader };

/** Throw UserError when there is nothing of the name. */
export const explainers: Readonly<Record<ObjectResource, (question: Question) => Promise<FoundDocuments>>> = {
  pod: explainPods,
  workload: explainWorkload,
  node: explainNode,
  namespace: explainNamespace,
  eviction: explainEvictions,
};

/** Of every pod of the name: in all namespaces there may be several. */
async function explainPods({ reader, givenName, name, namespace }: Question): Promise<FoundDocuments> {
  const namespaces = namespace === undefined ? await namespacesOf(reader, name) : [namespace];
  const answers: ObjectAnswer<'pod'>[] = [];
  for (const each of namespaces) {
    const answer = await objectOf(reader, 'pod', [each, name], {});
    if (answer !== undefined) answers.push(answer);
  }
  const pods = answers.flatMap(({ data }) => data.pods);
  const [first] = answers;
  const [eviction] = answers.flatMap(({ data }) => data.evictions);
  if (pods.length === 0 && eviction !== undefined) throw podGone(givenName, eviction);
  if (first === undefined || pods.length === 0) throw await podNotFound(reader, givenName, namespace);
  const documents = answers.flatMap(({ data }) => (data.pods.length === 0 ? [] : [podDocument(data)]));
  return { facts: first, data: pods, documents };
}
async function namespacesOf(reader: ViewReader, name: string): Promise<readonly string[]> {
  const { items, isComplete } = await reader.list('pods', { search: `/${name}` });
  if (!isComplete) throw tooManyAlike('pods', name, 'add --namespace');
  return [...new Set(items.flatMap(({ pod, namespace }) => (pod === name ? [namespace] : [])))].sort();
}

/** Undefined when there is no such object. */
async function objectOf<Kind extends CommandObject>(
  reader: ViewReader,
  kind: Kind,
  path: readonly string[],
  parameters: Readonly<Record<string, string | undefined>>,
): Promise<ObjectAnswer<Kind> | undefined> {
  try {
    return await reader.object(kind, path, parameters);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** It is known by its eviction alone. */
function podGone(name: string, eviction: EvictionReport): Error {
  const command = explainEviction(eviction).replace(`${programName} `, '');
  return new UserError(`no pod "${terminalText(name)}": it was evicted (${causeText(eviction)}), see ${command}`);
}

/** With names that are like it: those that begin alike, else the first ones. */
async function podNotFound(reader: ViewReader, name: string, namespace: string | undefined): Promise<Error> {
  const stem = name.slice(name.lastIndexOf('/') + 1).split('-')[0] ?? '';
  const alike = await reader.list('pods', { search: stem });
  const { items } = alike.items.length > 0 ? alike : await reader.list('pods', {});
  const names = items.map((pod) => `${pod.namespace}/${pod.pod}`);
  return notFound('pod', name, names, { namespace, facts: alike });
}

async function explainWorkload({ reader, name, namespace }: Question): Promise<FoundDocuments> {
  const found = await findWorkload(reader, name, namespace);
  const answer = await objectOf(reader, 'workload', found.path.split('/'), { limit: String(maxLimit) });
  if (answer === undefined) throw notFound('workload', name, [], { namespace, facts: { notes: [] } }); // it has just gone
  return { facts: answer, data: workloadWithPods(answer.data), documents: [workloadDocument(answer.data)] };
}

/** The newest of the pod first: a name may be used again. Of a workload the newest. */
async function explainEvictions({ reader, givenName, namespace }: Question): Promise<FoundDocuments> {
  const name = givenName.slice(givenName.lastIndexOf('/') + 1);
  const answer = await reader.list('evictions', { search: name, namespace });
  const ofPod = answer.items.filter(({ pod }) => pod === name);
  const found = ofPod.length > 0 ? ofPod : await evictionOfWorkload(reader, givenName, namespace);
  return { facts: answer, data: found, documents: found.map((eviction) => evictionDocument(eviction)) };
}

async function evictionOfWorkload(reader: ViewReader, name: string, namespace: string | undefined) {
  const { items, ...facts } = await reader.list('evictions', { namespace });
  const newest = items.find(({ workloads }) => workloads.some((of) => isNamed(of, name, namespace)));
  if (newest !== undefined) return [newest];
  const all = namespace === undefined ? items : (await reader.list('evictions', {})).items;
  const names = all.map((eviction) => `${eviction.namespace}/${eviction.pod}`);
  throw notFound('eviction of pod or workload', name, names, { namespace, facts });
}

async function explainNamespace({ reader, name }: Question): Promise<FoundDocuments> {
  const answer = await objectOf(reader, 'namespace', [name], {});
  if (answer === undefined) {
    const { items, ...facts } = await reader.list('namespaces', {});
    const names = items.map(({ namespace }) => namespace);
    throw notFound('namespace', name, names, { facts });
  }
  return { facts: answer, data: answer.data, documents: [namespaceDocument(answer.data)] };
}

async function explainNode({ reader, name }: Question): Promise<FoundDocuments> {
  const answer = await objectOf(reader, 'node', [name], {});
  if (answer === undefined) {
    const { items, ...facts } = await reader.list('nodes', {});
    const names = items.map(({ node }) => node);
    throw notFound('node', name, names, { facts });
  }
  return { facts: answer, data: answer.data.node, documents: [nodeDocument(answer.data)] };
}
