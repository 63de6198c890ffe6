import { RequestError } from '../../lib/base/errors.js';
import type { Lane } from '../../lib/base/lane.js';
import { oneLine } from '../../lib/base/text.js';
import { inPieces } from '../../lib/json/body-chunks.js';
import { objectOf, textOf } from '../../lib/json/json.js';
import { JsonSplitter } from '../../lib/json/json-splitter.js';
import type { SliceSink } from '../../lib/json/split-document.js';

/** etcd refuses objects above 1.5 MiB by default (https://etcd.io/docs/latest/dev-guide/limit/). */
const maxItemBytes = 8 * 1024 * 1024;

/** The metadata of the list. */
export interface ListMeta {
  readonly resourceVersion: string;
  /** For the next page; undefined on the last one. */
  readonly continueToken: string | undefined;
}

/**
 * Reads a list of the API server item by item: neither the text of the list nor the list itself is ever one value. Returns its
 * metadata. Throws `RequestError`: `decode` for a list that is truncated, malformed or of another kind, `too_large` for a
 * member other than the items above 8 MiB. Errors of the body and of the callbacks pass through.
 */
export async function readList(
  body: AsyncIterable<Buffer>,
  {
    kind,
    onItem,
    onOversizedItem,
    lane,
  }: {
    /** The only kind accepted: `PodList`, … */
    readonly kind: string;
    /** Called for each item, in order. The items are valid only when the promise resolves: until then the list may be truncated. */
    readonly onItem: (item: unknown) => void;
    /** Called for each item above 8 MiB, which is skipped; the message has its size and its beginning. */
    readonly onOversizedItem: (message: string) => void;
    /** Parses, one piece of the body after the other. */
    readonly lane: Lane;
  },
): Promise<ListMeta> {
  const members = new Map<string, unknown>();
  const splitter = new JsonSplitter({
    what: 'list',
    arrayNames: ['items'],
    itemName: 'an item',
    limits: { maxBytes: maxItemBytes, maxValueCount: Infinity },
    onMember: (name, value) => {
      if (name === 'kind') checkKind(value, kind);
      // Go writes a nil slice as null.
      if (name === 'items' && value !== null) throw malformed('"items" is not an array');
      members.set(name, value);
    },
    onItem,
    onOversizedItem: () => oversizedItem(onOversizedItem),
  });
  for await (const piece of inPieces(body)) {
    await lane.run(() => {
      splitter.write(piece);
    });
  }
  const names = splitter.finish();
  checkKind(members.get('kind'), kind);
  if (!names.has('items')) throw malformed('it has no items');
  const metadata = objectOf(members.get('metadata'));
  const resourceVersion = textOf(metadata['resourceVersion']);
  if (resourceVersion === undefined) throw malformed('it has no resourceVersion');
  return { resourceVersion, continueToken: textOf(metadata['continue']) };
}

/** Of an item that is too large: enough for its name. */
const quotedBytes = 120;

/** Keeps no more of an item than its size and its beginning. */
function oversizedItem(onEnd: (message: string) => void): SliceSink {
  let byteCount = 0;
  let beginning = Buffer.of();
  return {
    write: (bytes) => {
      byteCount += bytes.length;
      const missing = quotedBytes - beginning.length;
      if (missing > 0) beginning = Buffer.concat([beginning, bytes.subarray(0, missing)]);
    },
    end: () => {
      onEnd(`an item of ${byteCount} bytes, above ${maxItemBytes}, that begins with ${oneLine(beginning.toString())}`);
    },
  };
}

function checkKind(found: unknown, kind: string): void {
  if (found !== kind) throw malformed(`kind ${JSON.stringify(found)} instead of ${kind}`);
}

function malformed(problem: string): RequestError {
  return new RequestError('decode', `list: ${problem}`);
}
