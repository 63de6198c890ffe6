import type { IncomingMessage } from 'node:http';

import type { Attributes } from '../access.js';
import type { Resource } from './versioned-objects.js';

/** A request for objects of the core API group. */
export interface ResourceTarget {
  readonly resource: Resource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The header, or what a client without one accepts. */
  readonly accept: string;
  readonly acceptsGzip: boolean;
  /** Undefined for paths that are not of the core group's resources. */
  readonly target: ResourceTarget | undefined;
  readonly isWatch: boolean;
}

export function parseRequest({ method = '', url = '/', headers }: IncomingMessage): ApiRequest {
  const { pathname, searchParams } = new URL(url, 'https://kubernetes');
  const path = pathname.length > 1 ? pathname.replace(/\/$/, '') : pathname;
  const encodings = [headers['accept-encoding'] ?? []].flat().join(',').split(',');
  return {
    method,
    path,
    query: searchParams,
    accept: headers.accept ?? '*/*',
    acceptsGzip: encodings.some((encoding) => encoding.trim().split(';')[0] === 'gzip'),
    target: serviceAccountOf(path) === undefined ? targetOf(path) : undefined,
    isWatch: flagParameter(searchParams, 'watch'),
  };
}

/** Anything but `false` and `0` is true, as in the real server. Default: false. */
export function flagParameter(query: URLSearchParams, name: string): boolean {
  return !['0', 'false'].includes((query.get(name) ?? 'false').toLowerCase());
}

export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
}

/** Of a request for its token. */
export function serviceAccountOf(path: string): ServiceAccount | undefined {
  const [, namespace, name] = /^\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts\/([^/]+)\/token$/.exec(path) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function targetOf(path: string): ResourceTarget | undefined {
  const parts = path.split('/').map(decodeURIComponent);
  if (parts[1] !== 'api' || parts[2] !== 'v1') return undefined;
  const [first, second, third] = parts.slice(3);
  if (first === 'namespaces' && isNamespaced(third)) {
    return { resource: third, namespace: second, name: parts[6], subresource: parts[7] };
  }
  if (isNamespaced(first) && second !== undefined) return undefined; // the path of an object has its namespace
  if (!isNamespaced(first) && first !== 'namespaces' && first !== 'nodes') return undefined;
  return { resource: first, namespace: undefined, name: second, subresource: third };
}

function isNamespaced(resource: string | undefined): resource is 'pods' | 'services' {
  return resource === 'pods' || resource === 'services';
}

const writeVerbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** The attributes of the request, as in access rules. */
export function attributesOf(request: ApiRequest): Attributes {
  const { target, method, path } = request;
  if (target === undefined) return otherAttributes(method, path);
  const { resource, subresource, namespace, name } = target;
  const readVerb = name === undefined ? 'list' : 'get';
  return {
    verb: writeVerbs[method] ?? (request.isWatch ? 'watch' : readVerb),
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace,
    name,
  };
}

function otherAttributes(method: string, path: string): Attributes {
  const account = serviceAccountOf(path);
  if (account !== undefined)
    return { verb: writeVerbs[method] ?? 'get', resource: 'serviceaccounts/token', ...account };
  const [, group, resource] = /^\/apis\/(authentication|authorization)\.k8s\.io\/v1\/(\w+)$/.exec(path) ?? [];
  if (method === 'POST' && group !== undefined && resource !== undefined) {
    return { verb: 'create', resource, group: `${group}.k8s.io` };
  }
  return { verb: writeVerbs[method] ?? 'get', path };
}
