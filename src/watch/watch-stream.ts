import { messageOf, RequestError } from '../base/errors.js';
import { apiErrorFromStatus } from '../http/api-error.js';
import { objectOf, textOf } from '../kube/json.js';
import { inTurns, PartialSlice } from './body.js';

const maxLineBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;

const eventTypes = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const;

export interface WatchEvent {
  /** A bookmark's object carries a resource version and nothing else. */
  readonly type: (typeof eventTypes)[number];
  readonly object: unknown;
  /** Where the stream stands once the event has been applied. Never empty. */
  readonly resourceVersion: string;
}

/**
 * The events of a watch, one JSON object per line.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 *
 * `kind` is that of the objects. Ends with the body. What stands in an unfinished last line is dropped: the server sends it again to a watch from the
 * last event's resource version. Throws `RequestError`: `decode` for a line that is not an event of that kind with a resource version,
 * `too_large` for a line above 16 MiB; `ApiError` for an ERROR event; and whatever the body throws.
 */
export async function* readWatchEvents(
  body: AsyncIterable<Buffer>,
  kind: string,
): AsyncGenerator<WatchEvent, void, undefined> {
  const line = new PartialSlice({ maxBytes: maxLineBytes, description: 'a line of the watch' });
  for await (const piece of inTurns(body)) {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      const text = line.take(piece.subarray(start, end));
      start = end + 1;
      if (text.trim() !== '') yield eventOf(text, kind);
    }
    line.carry(piece.subarray(start));
  }
}

function eventOf(text: string, kind: string): WatchEvent {
  const { type, object } = objectOf(parse(text));
  if (type === 'ERROR') throw errorOf(object);
  const eventType = eventTypes.find((known) => known === type);
  if (eventType === undefined) throw unreadable(`its type is ${JSON.stringify(type)}`);
  const { metadata, kind: objectKind = kind } = objectOf(object);
  if (objectKind !== kind) throw unreadable(`its object is of kind ${JSON.stringify(objectKind)} instead of ${kind}`);
  const resourceVersion = textOf(objectOf(metadata)['resourceVersion']);
  if (resourceVersion === undefined) throw unreadable(`its object has no resourceVersion (${eventType})`);
  return { type: eventType, object, resourceVersion };
}

/** Of a server that does not say what is wrong, assume the worst. */
function errorOf(status: unknown): Error {
  const { code } = objectOf(status);
  return apiErrorFromStatus({
    what: 'ERROR event of the watch',
    status: typeof code === 'number' ? code : 500,
    body: status,
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(messageOf(error));
  }
}

function unreadable(what: string): RequestError {
  return new RequestError('decode', `unreadable event of the watch: ${what}`);
}
