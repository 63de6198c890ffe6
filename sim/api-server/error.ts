import type { Attributes, User } from '../access.js';

export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface ApiErrorOptions {
  readonly details?: StatusDetails;
  /** The token for the remainder of an expired list. */
  readonly continueToken?: string;
}

/** A response that is a `Status` with status Failure. `reason` is '' where the real server has none. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  readonly continueToken: string | undefined;

  constructor(code: number, reason: string, message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = options.details;
    this.continueToken = options.continueToken;
  }

  toStatus(): object {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.continueToken === undefined ? {} : { continue: this.continueToken },
      status: 'Failure',
      message: this.message,
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details !== undefined && { details: this.details }),
      code: this.code,
    };
  }
}

export interface Named {
  readonly group: string;
  readonly kind?: string;
}

/** 422: the causes name the fields at fault. */
export function invalid({ group, kind = '' }: Named, causes: readonly StatusCause[]): ApiError {
  const reasons = causes.map(({ field, message }) => `${field ?? ''}: ${message}`);
  const list = reasons.length === 1 ? reasons.join() : `[${reasons.join(', ')}]`;
  const details = { group, ...(kind !== '' && { kind }), causes };
  return new ApiError(422, 'Invalid', `${kind}.${group} "" is invalid: ${list}`, { details });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function notFound(kind: string, name: string): ApiError {
  return new ApiError(404, 'NotFound', `${kind} "${name}" not found`, { details: { name, kind } });
}

export function unavailable(message: string): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message);
}

/** The error for an unknown path. */
export function noSuchPath(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', { details: {} });
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authorization/ */
export function forbidden(user: User, wanted: Attributes): ApiError {
  const who = `User "${user.name}" cannot ${wanted.verb}`;
  if ('path' in wanted) {
    return new ApiError(403, 'Forbidden', `forbidden: ${who} path "${wanted.path}"`, { details: {} });
  }
  const { resource, group = '', namespace, name } = wanted;
  const kind = resource.split('/')[0] ?? resource;
  const object = [group === '' ? kind : `${kind}.${group}`, name === undefined ? [] : `"${name}"`].flat().join(' ');
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const details = { ...(name !== undefined && { name }), ...(group !== '' && { group }), kind };
  const message = `${object} is forbidden: ${who} resource "${resource}" in API group "${group}" ${scope}`;
  return new ApiError(403, 'Forbidden', message, { details });
}

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return new ApiError(405, 'MethodNotAllowed', message, { details: {} });
}
