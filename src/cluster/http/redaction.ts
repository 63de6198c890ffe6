/** In place of a secret. */
const gap = '…';

/** A server that repeats a token must not bring it into our log. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, gap)), text);
}

/** Shorter than any token that Kubernetes issues. Names of objects may contain a shorter text: a body keeps it. */
const minLength = 16;

/** The same body without the secrets that the server repeats, as one that takes the header of the request for a name does. */
export function withoutSecrets(body: AsyncIterable<Buffer>, secrets: readonly string[]): AsyncIterable<Buffer> {
  return secrets.filter(({ length }) => length >= minLength).reduce(withoutSecret, body);
}

async function* withoutSecret(body: AsyncIterable<Buffer>, text: string): AsyncGenerator<Buffer, void, undefined> {
  const secret = Buffer.from(text);
  let held = Buffer.alloc(0);
  for await (const chunk of body) {
    const rest = afterSecrets(held.length === 0 ? chunk : Buffer.concat([held, chunk]), secret);
    const heldFrom = beginningOf(secret, rest);
    held = Buffer.from(rest.subarray(heldFrom));
    if (heldFrom > 0) yield held.length === 0 ? rest : rest.subarray(0, heldFrom);
  }
  if (held.length > 0) yield held;
}

/** With a gap for each secret; the same bytes when there is none. */
function afterSecrets(bytes: Buffer, secret: Buffer): Buffer {
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, start)) {
    parts.push(bytes.subarray(start, at), Buffer.from(gap));
    start = at + secret.length;
  }
  return start === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(start)]);
}

/** Where the end of the bytes may be the beginning of a secret; their length when it is not. */
function beginningOf(secret: Buffer, bytes: Buffer): number {
  const [first = 0] = secret;
  for (let at = bytes.indexOf(first, Math.max(0, bytes.length - secret.length + 1)); at >= 0;) {
    if (bytes.subarray(at).equals(secret.subarray(0, bytes.length - at))) return at;
    at = bytes.indexOf(first, at + 1);
  }
  return bytes.length;
}
