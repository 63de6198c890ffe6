import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { redacted, withoutSecrets } from '../../src/cluster/http/redaction.js';
import { bodyOf } from '../watch/scripted-api.js';
import { textOf } from './loopback-server.js';

const read = (chunks: readonly Buffer[], secrets: readonly string[]): Promise<string> =>
  textOf(Promise.resolve(withoutSecrets(bodyOf(...chunks), secrets)));

describe('withoutSecrets', () => {
  const secret = 'aabaabaabaabaabaab';

  it('a body has no secret, wherever its chunks end', async () => {
    const part = fc.constantFrom(secret, secret.slice(0, 5), secret.slice(0, -1), 'a', 'b', 'ü', '{}');
    await fc.assert(
      fc.asyncProperty(fc.array(part), fc.array(fc.nat(12)), async (parts, lengths) => {
        const bytes = Buffer.from(parts.join(''));
        const chunks: Buffer[] = [];
        let start = 0;
        for (const length of lengths) chunks.push(bytes.subarray(start, (start += length)));
        chunks.push(bytes.subarray(start));
        expect(await read(chunks, [secret])).toBe(bytes.toString().replaceAll(secret, '…'));
      }),
    );
  });

  it('a body keeps texts of less than 16 characters, which names may contain', async () => {
    expect(await read([Buffer.from('fifteen-letters')], ['fifteen-letters', ''])).toBe('fifteen-letters');
  });

  it('the chunks of a body without a secret are passed on', async () => {
    const passed: string[] = [];
    for await (const chunk of withoutSecrets(bodyOf('{"a":', '1}\n'), [secret])) passed.push(chunk.toString());
    expect(passed).toEqual(['{"a":', '1}\n']);
  });
});

it.each([
  ['', 'a token, and no secret', 'a token, and no secret'],
  ['token', 'a token, a token', 'a …, a …'],
])('the secret %j is taken out of a message', (secret, text, expected) => {
  expect(redacted(text, [secret])).toBe(expected);
});
