import type { ServerResponse } from 'node:http';

import type { Clock } from '../../src/lib/base/clock.js';
import type { Random } from '../model/random.js';
import type { CacheFault } from '../simulated-faults.js';
import { methodNotAllowed, noSuchPath, notFound } from './error.js';
import { type ListPage, listPage, type ListRequest } from './list.js';
import { negotiate, Representation } from './representation.js';
import type { ApiRequest, ResourceTarget } from './request.js';
import { sendJson } from './response.js';
import type { ObjectStore } from './versioned-objects.js';
import { Watch } from './watch.js';

export interface ObjectsContext {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  /** The responses of open watches. */
  readonly watches: Set<ServerResponse>;
  readonly cacheFault: CacheFault | undefined;
  /** Whether watches send no events at present. */
  readonly losesEvents: () => boolean;
}

/** Serves get, list and watch of namespaces, nodes and pods. Responds to changes with 405. */
export async function answerObjects(
  response: ServerResponse,
  { request, target }: { readonly request: ApiRequest; readonly target: ResourceTarget },
  context: ObjectsContext,
): Promise<void> {
  const { resource, name, namespace, subresource } = target;
  const { query, acceptsGzip } = request;
  if (request.method !== 'GET') throw methodNotAllowed();
  if (subresource !== undefined && subresource !== 'status') throw noSuchPath();
  const representation = new Representation(resource, {
    form: negotiate(request.accept),
    includeObject: query.get('includeObject') ?? 'Metadata',
    nowMs: () => context.clock.nowMs(),
  });
  if (name !== undefined) {
    const stored = context.store.get(resource, namespace === undefined ? name : `${namespace}/${name}`);
    if (stored === undefined) throw notFound(resource, name);
    await sendJson(response, representation.object(stored));
    return;
  }
  const list = { resource, namespace, query };
  if (request.isWatch) await watch(response, { list, representation }, context);
  else await sendJson(response, representation.list(page(list, context)), { acceptsGzip });
}

/** Only the newest state does not come from the cache. */
function page(list: ListRequest, { store, cacheFault }: ObjectsContext): ListPage {
  const { metadata, items } = listPage(store, list);
  const isOfCache = (list.query.get('resourceVersion') ?? '') !== '';
  if (cacheFault === undefined || !isOfCache) return { metadata, items };
  return { metadata, items: cacheFault === 'empty' ? [] : items.filter((_, index) => index % 2 === 0) };
}

async function watch(
  response: ServerResponse,
  { list, representation }: { readonly list: ListRequest; readonly representation: Representation },
  { store, clock, random, watches, losesEvents }: ObjectsContext,
): Promise<void> {
  const stream = new Watch({ store, request: list, representation, clock, losesEvents, random: () => random.next() });
  watches.add(response);
  try {
    await stream.run(response);
  } finally {
    watches.delete(response);
  }
}
