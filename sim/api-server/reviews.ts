import type { IncomingMessage } from 'node:http';

import type { Clock } from '../../src/lib/base/clock.js';
import { type AccessControl, apiAudience, type Attributes, type User } from '../access.js';
import { timestamp } from '../model/object-format.js';
import { ApiError, badRequest, invalid, type StatusCause } from './error.js';
import { reviewOfProtobuf } from './protobuf-review.js';
import { type ServiceAccount, serviceAccountOf } from './request.js';
import { readBody } from './request-body.js';

type Json = Readonly<Record<string, unknown>>;

interface Context {
  readonly access: AccessControl;
  readonly user: User;
  readonly clock: Clock;
}

/** Whether the path is one of reviews: it accepts nothing but POST. */
export function isReview(path: string): boolean {
  return Object.hasOwn(reviews, path) || serviceAccountOf(path) !== undefined;
}

/** Responds to token reviews, access reviews and requests for the token of a service account. Undefined for other paths. */
export async function answerReview(
  request: IncomingMessage,
  path: string,
  context: Context,
): Promise<object | undefined> {
  const account = serviceAccountOf(path);
  const review = account === undefined ? reviews[path] : tokenRequestOf(account);
  if (review === undefined) return undefined;
  const body = await readReview(request);
  const spec = objectOf(body['spec']);
  const { metadata = {}, ...reviewed } = review(spec, context);
  return { ...body, metadata, spec, ...reviewed };
}

/** What it adds to the request. Throws an ApiError for a spec that is not valid. */
type Review = (
  spec: Json,
  context: Context,
) => { readonly status: object; readonly metadata?: object; readonly spec?: object };

/**
 * As for `kubectl create token`: any name is that of a service account. The token does not expire.
 * https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/
 */
function tokenRequestOf({ namespace, name }: ServiceAccount): Review {
  return (spec, { access, clock }) => {
    const { expirationSeconds = 3600 } = spec;
    const wanted = textsOf(spec['audiences']);
    const audiences = wanted.length === 0 ? [apiAudience] : wanted;
    if (Number(expirationSeconds) < minExpirationSeconds) {
      const why = `Invalid value: ${Number(expirationSeconds)}: may not specify a duration less than 10 minutes`;
      throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, [
        { reason: 'FieldValueInvalid', message: why, field: 'spec.expirationSeconds' },
      ]);
    }
    const user = {
      name: `system:serviceaccount:${namespace}:${name}`,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    };
    const token = access.issueTokenOf(user, audiences);
    const expiresAtMs = clock.nowMs() + Number(expirationSeconds) * 1000;
    return {
      metadata: { name, namespace, uid: user.name, creationTimestamp: timestamp(clock.nowMs()) },
      spec: { audiences, expirationSeconds, boundObjectRef: null },
      status: { token, expirationTimestamp: timestamp(expiresAtMs) },
    };
  };
}

const minExpirationSeconds = 600;

const reviews: Readonly<Partial<Record<string, Review>>> = {
  '/apis/authentication.k8s.io/v1/tokenreviews': (spec, { access }) => {
    const wanted = textsOf(spec['audiences']);
    const sent = text(spec['token']);
    if (sent === undefined) throw badRequest('token is required for TokenReview in authentication');
    const token = access.review(sent, wanted.length === 0 ? undefined : wanted);
    if (token === undefined) return { status: { user: {}, error: 'invalid bearer token' } };
    const { user, audiences } = token;
    const { name: username, groups } = user;
    return { status: { authenticated: true, user: { username, uid: username, groups }, audiences } };
  },
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': (spec, { access, user }) => {
    checkAccessReview(attributeFaults(spec));
    return { status: { allowed: access.isAllowed(user, attributesOf(spec)) } };
  },
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': (spec, { access }) => {
    const user = { name: text(spec['user']) ?? '', groups: textsOf(spec['groups']) };
    checkAccessReview([...attributeFaults(spec), ...userFaults(user)]);
    return { status: { allowed: access.isAllowed(user, attributesOf(spec)) } };
  },
};

function checkAccessReview(faults: readonly StatusCause[]): void {
  // The real server does not name the kind here.
  if (faults.length > 0) throw invalid({ group: 'authorization.k8s.io' }, faults);
}

function attributeFaults({ resourceAttributes, nonResourceAttributes }: Json): readonly StatusCause[] {
  if ((resourceAttributes === undefined) !== (nonResourceAttributes === undefined)) return [];
  const message = 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [{ reason: 'FieldValueInvalid', message, field: 'spec' }];
}

function userFaults({ name, groups }: User): readonly StatusCause[] {
  if (name !== '' || groups.length > 0) return [];
  const message = 'Invalid value: "": at least one of user or group must be specified';
  return [{ reason: 'FieldValueInvalid', message, field: 'spec.user' }];
}

function attributesOf(spec: Json): Attributes {
  const path = objectOf(spec['nonResourceAttributes']);
  if (text(path['path']) !== undefined) return { verb: text(path['verb']) ?? '', path: text(path['path']) ?? '' };
  const { verb, resource, subresource, namespace, name } = objectOf(spec['resourceAttributes']);
  const parts = [text(resource), text(subresource)].filter((part) => part !== undefined);
  return { verb: text(verb) ?? '', resource: parts.join('/'), namespace: text(namespace), name: text(name) };
}

async function readReview(request: IncomingMessage): Promise<Json> {
  const type = request.headers['content-type']?.split(';')[0];
  const body = await readBody(request);
  if (type === 'application/vnd.kubernetes.protobuf') {
    const review = reviewOfProtobuf(body);
    if (review !== undefined) return review;
  } else if (type !== 'application/json') {
    const message = 'the body of the request was in an unknown format - accepted media types include: application/json';
    throw new ApiError(415, 'UnsupportedMediaType', message);
  }
  try {
    return objectOf(JSON.parse(body.toString()));
  } catch {
    throw badRequest('the object provided is unrecognized (must be of type JSON)');
  }
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** A non-empty string. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
