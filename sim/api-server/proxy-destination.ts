import type { ClusterModel } from '../model/cluster-model.js';
import { endpointsOf } from '../model/endpoints.js';
import { containerPorts, portNumber } from '../model/pod-ports.js';
import type { Random } from '../model/random.js';
import { badRequest, noSuchPath, notFound, unavailable } from './error.js';
import type { ProxyDestination } from './proxy.js';
import type { ResourceTarget } from './request.js';

interface Context {
  readonly model: ClusterModel;
  readonly random: Random;
  readonly kubelet: NonNullable<ProxyDestination['kubelet']>;
}

/** Finds what a request is proxied to. Throws an ApiError as the real server's. */
export function proxyDestination(target: ResourceTarget, context: Context): ProxyDestination {
  const { resource, name = '' } = target;
  if (resource === 'nodes') {
    const port = context.model.node(name)?.kubeletPort;
    if (port === undefined) throw notFound('nodes', name);
    return { scheme: 'https', port, listensOn: port, kubelet: context.kubelet };
  }
  if (resource === 'services') return serviceDestination(target, context);
  if (resource === 'pods') return podDestination(target, context);
  throw noSuchPath();
}

/** https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/registry/core/service/storage/storage.go (ResourceLocation) */
function serviceDestination(
  { namespace = '', name: id = '' }: ResourceTarget,
  { model, random }: Context,
): ProxyDestination {
  const { scheme, name, port } = splitId('service', id);
  const service = model.services.get(namespace, name);
  const isNumber = /^\d+$/.test(port);
  if (service === undefined) throw notFound(isNumber ? 'services' : 'endpoints', name);
  const servicePort = service.spec.ports.find((each) => (isNumber ? each.port === Number(port) : each.name === port));
  if (servicePort === undefined && isNumber) {
    throw unavailable(`no service port ${port} found for service "${name}"`);
  }
  const endpoints = endpointsOf(service, model.pods);
  if (endpoints.length === 0) throw unavailable(`no endpoints available for service "${name}"`);
  const found = endpoints.flatMap(({ pod, isReady }) => {
    const number = servicePort && portNumber(pod, servicePort.targetPort);
    return isReady && number !== undefined ? [{ pod, number }] : [];
  });
  const chosen = found[Math.floor(random.next() * found.length)];
  if (chosen === undefined) throw unavailable(`no endpoints available for service "${id}"`);
  return { scheme, port: chosen.number, listensOn: containerPorts(chosen.pod).get(chosen.number) };
}

/** https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/registry/core/pod/strategy.go (ResourceLocation) */
function podDestination({ namespace = '', name: id = '' }: ResourceTarget, { model }: Context): ProxyDestination {
  const { scheme, name, port } = splitId('pod', id);
  const pod = model.pod(namespace, name);
  if (pod === undefined) throw notFound('pods', name);
  if (pod.startedAtMs === undefined) throw badRequest('address not allowed');
  const [firstPort = 80] = containerPorts(pod).keys();
  const number = port === '' ? firstPort : port;
  return { scheme, port: number, listensOn: containerPorts(pod).get(Number(number)) };
}

interface SplitId {
  readonly scheme: 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

/** `NAME`, `NAME:PORT` or `SCHEME:NAME:PORT`. */
function splitId(kind: 'pod' | 'service', id: string): SplitId {
  const parts = id.split(':');
  const [scheme = '', name = '', port = ''] = parts.length < 3 ? ['', ...parts] : parts;
  const isValid = parts.length <= 3 && name !== '' && ['', 'http', 'https'].includes(scheme);
  if (!isValid) throw badRequest(`invalid ${kind} request "${id}"`);
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port };
}
