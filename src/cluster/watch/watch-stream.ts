import { messageOf, RequestError } from '../../lib/base/errors.js';
import { ChunkAccumulator, yieldToEventLoop } from '../../lib/json/body-chunks.js';
import { objectOf, parseJson, textOf } from '../../lib/json/json.js';
import { apiErrorFromStatus } from '../http/api-error.js';
import { eventTypeOf } from './watch-observer.js';

const maxLineBytes = 16 * 1024 * 1024;
const lineFeed = 0x0a;

export interface WatchEvent {
  /** A bookmark's object carries a resource version and nothing else. */
  readonly type: keyof typeof eventTypeOf;
  readonly object: unknown;
  /** Where the stream continues after the event. Never '' or '0', which stand for no version. */
  readonly resourceVersion: string;
}

/**
 * Reads the events of a watch, one JSON object per line.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 *
 * `onOtherKind` is called for an event whose object is not of `kind`, which is skipped: it belongs to no object of the collection.
 *
 * Ends with the body. Drops an incomplete last line: a watch from the last event's resource version receives it again.
 * Throws `RequestError`: `decode` for a line that is not an event with a resource version, `too_large` for a line above
 * 16 MiB; `ApiError` for an ERROR event. Errors of the body pass through.
 */
export async function* readWatchEvents(
  body: AsyncIterable<Buffer>,
  options: { readonly kind: string; readonly onOtherKind: (kind: string) => void },
): AsyncGenerator<WatchEvent, void, undefined> {
  const line = new ChunkAccumulator({ maxBytes: maxLineBytes, describe: () => 'a line of the watch' });
  for await (const piece of yieldToEventLoop(body)) {
    let start = 0;
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      const text = line.take(piece.subarray(start, end));
      start = end + 1;
      const event = text.trim() === '' ? undefined : eventOf(text, options.kind, options.onOtherKind);
      if (event !== undefined) yield event;
    }
    line.carry(piece.subarray(start));
  }
}

const knownTypes = Object.keys(eventTypeOf) as readonly WatchEvent['type'][];

/** Reads a line. Returns undefined for an object of another kind. */
function eventOf(text: string, kind: string, onOtherKind: (kind: string) => void): WatchEvent | undefined {
  const { type, object } = objectOf(parseJson(text, (error) => malformedEvent(messageOf(error))));
  if (type === 'ERROR') throw errorOf(object);
  const eventType = knownTypes.find((known) => known === type);
  if (eventType === undefined) throw malformedEvent(`its type is ${JSON.stringify(type)}`);
  const { metadata, kind: objectKind = kind } = objectOf(object);
  if (objectKind !== kind) {
    onOtherKind(JSON.stringify(objectKind));
    return undefined;
  }
  const resourceVersion = textOf(objectOf(metadata)['resourceVersion']);
  if (resourceVersion === undefined) throw malformedEvent(`its object has no resourceVersion (${eventType})`);
  if (resourceVersion === '0') throw malformedEvent(`the resourceVersion of its object is 0 (${eventType})`);
  return { type: eventType, object, resourceVersion };
}

/** Makes an error of an ERROR event, which counts as 500 without a code. */
function errorOf(status: unknown): Error {
  const { code } = objectOf(status);
  return apiErrorFromStatus({
    what: 'ERROR event of the watch',
    status: typeof code === 'number' ? code : 500,
    body: status,
  });
}

function malformedEvent(problem: string): RequestError {
  return new RequestError('decode', `malformed event of the watch: ${problem}`);
}
