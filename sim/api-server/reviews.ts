import type { IncomingMessage } from 'node:http';

import type { AccessControl, Attributes, User } from '../access.js';
import { ApiError, badRequest } from './error.js';
import { selfSubjectAccessReviewSpec } from './protobuf-review.js';

type Json = Readonly<Record<string, unknown>>;

const largestBodyBytes = 64 * 1024;

/** Responds to token reviews and access reviews. Undefined for other paths. */
export async function answerReview(
  request: IncomingMessage,
  path: string,
  context: { readonly access: AccessControl; readonly user: User },
): Promise<object | undefined> {
  const review = reviews[path];
  if (review === undefined) return undefined;
  const body = await readReview(request);
  const spec = objectOf(body['spec']);
  return { ...body, metadata: { creationTimestamp: null }, spec, status: review(spec, context) };
}

type Review = (spec: Json, context: { readonly access: AccessControl; readonly user: User }) => object;

const reviews: Readonly<Partial<Record<string, Review>>> = {
  '/apis/authentication.k8s.io/v1/tokenreviews': (spec, { access }) => {
    const wanted = Array.isArray(spec['audiences']) ? spec['audiences'].map(String) : undefined;
    const token = access.review(text(spec['token']) ?? '', wanted);
    if (token === undefined) return { user: {}, error: 'invalid bearer token' };
    const { user, audiences } = token;
    return { authenticated: true, user: { username: user.name, groups: user.groups }, audiences };
  },
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews': (spec, { access, user }) => ({
    allowed: access.isAllowed(user, attributesOf(spec)),
  }),
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': (spec, { access }) => {
    const groups = Array.isArray(spec['groups']) ? spec['groups'].map(String) : [];
    return { allowed: access.isAllowed({ name: text(spec['user']) ?? '', groups }, attributesOf(spec)) };
  },
};

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
    const spec = selfSubjectAccessReviewSpec(body);
    if (spec !== undefined) return { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec };
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

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > largestBodyBytes) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${largestBodyBytes}`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A non-empty string. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
