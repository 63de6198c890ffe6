import type { IncomingMessage } from 'node:http';

import type { ClusterModel } from '../model/cluster-model.js';
import { isTerminal, type SimulatedPod } from '../model/simulated-pod.js';
import type { ContainerSpec } from '../model/specs.js';
import { ApiError, badRequest, invalid, notFound } from './error.js';
import type { ResourceTarget } from './request.js';
import { readBody } from './request-body.js';

/** Those that are streams to the kubelet: to open one is to create, whatever the method. */
const streamed = ['exec', 'portforward'];

export function isPodStream({ resource, subresource = '' }: ResourceTarget): boolean {
  return resource === 'pods' && streamed.includes(subresource);
}

/** Where the kubelet of the pod's node takes the stream over. */
export interface StreamDestination {
  readonly nodeName: string;
  readonly path: string;
}

/** Throws an ApiError as the real server's. */
export function streamDestination(
  { namespace = '', name = '', subresource }: ResourceTarget,
  query: URLSearchParams,
  model: ClusterModel,
): StreamDestination {
  const pod = model.pod(namespace, name);
  if (pod === undefined) throw notFound('pods', name);
  const { nodeName } = pod.spec;
  if (nodeName === undefined) throw badRequest(`pod ${name} does not have a host assigned`);
  const sent = subresource === 'exec' ? execQuery(query) : portQuery(query);
  const place =
    subresource === 'exec'
      ? `exec/${namespace}/${name}/${containerName(pod, query)}`
      : `portForward/${namespace}/${name}`;
  return { nodeName, path: `/${place}?${sent.toString()}` };
}

function portQuery(query: URLSearchParams): URLSearchParams {
  const sent = new URLSearchParams();
  for (const port of query.getAll('ports')) sent.append('port', port);
  return sent;
}

/** Kubelets have other names for the streams. */
function execQuery(query: URLSearchParams): URLSearchParams {
  const names = { stdin: 'input', stdout: 'output', stderr: 'error', tty: 'tty' };
  const sent = new URLSearchParams();
  for (const [name, ofKubelet] of Object.entries(names)) {
    if (['1', 'true'].includes(query.get(name) ?? '')) sent.append(ofKubelet, '1');
  }
  for (const word of query.getAll('command')) sent.append('command', word);
  return sent;
}

function containerName(pod: SimulatedPod, query: URLSearchParams): string {
  const wanted = query.get('container') ?? '';
  const names = pod.spec.containers.map(({ name }) => name);
  const [first = '', ...others] = names;
  if (wanted === '' && others.length === 0) return first;
  if (wanted === '') {
    throw badRequest(
      `a container name must be specified for pod ${pod.spec.name}, choose one of: [${names.join(' ')}]`,
    );
  }
  if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${pod.spec.name}`);
  return wanted;
}

interface EphemeralContainer {
  readonly name?: string;
  readonly image?: string;
  readonly targetContainerName?: string;
}

/** Adds what a strategic merge patch has in `spec.ephemeralContainers`, and nothing else of it. Throws an ApiError. */
export async function patchEphemeralContainers(
  { namespace = '', name = '' }: ResourceTarget,
  incoming: IncomingMessage,
  model: ClusterModel,
): Promise<void> {
  const type = incoming.headers['content-type']?.split(';')[0];
  if (type !== 'application/strategic-merge-patch+json') {
    throw new ApiError(415, 'UnsupportedMediaType', `the body of the request was in an unknown format: ${type ?? ''}`);
  }
  const pod = model.pod(namespace, name);
  if (pod === undefined) throw notFound('pods', name);
  const known = new Set(pod.spec.containers.map((container) => container.name));
  for (const container of patchedContainers((await readBody(incoming)).toString())) {
    if (!known.has(container.name)) model.addEphemeralContainer(namespace, name, checked(container, pod));
  }
}

function patchedContainers(body: string): readonly (EphemeralContainer & { readonly name: string })[] {
  try {
    const { spec } = JSON.parse(body) as { spec?: { ephemeralContainers?: readonly EphemeralContainer[] } };
    return (spec?.ephemeralContainers ?? []).map((container) => ({ ...container, name: container.name ?? '' }));
  } catch {
    throw badRequest('the object provided is unrecognized (must be of type JSON)');
  }
}

/** The name of a container that is there already means that one: the same patch may be sent twice. */
function checked(
  { name, image, targetContainerName: target }: EphemeralContainer & { readonly name: string },
  pod: SimulatedPod,
): ContainerSpec {
  const field = (path: string, message: string): ApiError =>
    invalid({ group: '', kind: 'Pod' }, [
      { reason: 'FieldValueInvalid', message, field: `spec.ephemeralContainers[0].${path}` },
    ]);
  if (isTerminal(pod)) throw field('name', 'Forbidden: pod is completed');
  if (name === '') throw field('name', 'Required value');
  if (image === undefined) throw field('image', 'Required value');
  const isKnown = target === undefined || pod.spec.containers.some((container) => container.name === target);
  if (!isKnown) throw field('targetContainerName', `Not found: "${target}"`);
  const still = { initialBytes: 0 };
  return { name, image, ...(target !== undefined && { target }), rootfs: still, logs: still };
}
