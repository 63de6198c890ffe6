/**
 * The part of Kubernetes' protobuf encoding that `kubectl auth can-i` and `kubectl create token` need: they send their
 * SelfSubjectAccessReview and their TokenRequest in protobuf only. Field numbers are those of
 * https://github.com/kubernetes/api/blob/v0.33.1/authorization/v1/generated.proto and
 * https://github.com/kubernetes/api/blob/v0.33.1/authentication/v1/generated.proto
 */

const magic = Buffer.from('k8s\0');

/** A SelfSubjectAccessReview or a TokenRequest as in JSON; undefined for anything else. */
export function reviewOfProtobuf(body: Buffer): Readonly<Record<string, unknown>> | undefined {
  if (!body.subarray(0, magic.length).equals(magic)) return undefined;
  const envelope = fieldsOf(body.subarray(magic.length));
  const [apiVersion, kind] = [1, 2].map((field) => fieldsOf(envelope.get(1)).get(field)?.toString());
  const spec = fieldsOf(envelope.get(2)).get(2);
  if (kind === 'SelfSubjectAccessReview') return { apiVersion, kind, spec: accessReviewSpec(fieldsOf(spec)) };
  if (kind === 'TokenRequest') return { apiVersion, kind, spec: tokenRequestSpec(spec) };
  return undefined;
}

/** Without the duration: tokens do not expire. */
function tokenRequestSpec(spec: Buffer | undefined): object {
  return { audiences: entriesOf(spec).flatMap(([field, value]) => (field === 1 ? [value.toString()] : [])) };
}

function accessReviewSpec(spec: ReadonlyMap<number, Buffer>): object {
  const [resource, path] = [spec.get(1), spec.get(2)].map((field) => field && textsOf(field));
  return {
    ...(resource !== undefined && {
      resourceAttributes: {
        namespace: resource.get(1),
        verb: resource.get(2),
        group: resource.get(3),
        resource: resource.get(5),
        subresource: resource.get(6),
        name: resource.get(7),
      },
    }),
    ...(path !== undefined && { nonResourceAttributes: { path: path.get(1), verb: path.get(2) } }),
  };
}

function textsOf(message: Buffer): ReadonlyMap<number, string> {
  return new Map([...fieldsOf(message)].map(([field, value]) => [field, value.toString()]));
}

const lengthDelimited = 2;

function fieldsOf(message: Buffer | undefined): ReadonlyMap<number, Buffer> {
  return new Map(entriesOf(message));
}

/** Strings and messages by field number, up to the first field of another type. https://protobuf.dev/programming-guides/encoding/ */
function entriesOf(message: Buffer = Buffer.alloc(0)): readonly (readonly [number, Buffer])[] {
  const fields: [number, Buffer][] = [];
  let rest = message;
  while (rest.length > 0) {
    const tag = varint(rest);
    if ((tag.value & 7) !== lengthDelimited) break;
    const length = varint(tag.rest);
    fields.push([tag.value >>> 3, length.rest.subarray(0, length.value)]);
    rest = length.rest.subarray(length.value);
  }
  return fields;
}

/** A number of up to 31 bits, and the bytes after it. */
function varint(bytes: Buffer): { readonly value: number; readonly rest: Buffer } {
  let value = 0;
  let index = 0;
  let byte: number;
  do {
    byte = bytes[index] ?? 0;
    value |= (byte & 0x7f) << (7 * index);
    index++;
  } while (byte >= 0x80);
  return { value, rest: bytes.subarray(index) };
}
