import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { findWording, hitsInText } from '../../scripts/wording.js';
import { atNight } from '../support/nightly.js';

/** Every source file is parsed. */
const timeoutMs = 60_000;

describe('the wording', () => {
  // At night: each change is checked by who writes it.
  it.runIf(atNight(true, false))(
    'the project has none of the patterns to avoid',
    async () => {
      expect(await findWording(path.resolve(import.meta.dirname, '../..'))).toEqual([]);
    },
    timeoutMs,
  );

  it.each([
    ['a literal', "logger.warn('kubelet gives no summary');", ['gives no']],
    ['a template', 'throw new Error(`${node} is held against ${limit}`);', ['held against']],
    ['words after a value', 'help(`${node} is mended`);', ['mended']],
    ['a comment of a block', '/** Forgets\n * whoever asks. */\nrun();', ['whoever']],
    ['a comment at the end of a line', 'run(); // once and anew', ['anew']],
    ['an identifier', 'const identity = whoever;', []],
    ['a text that only looks like a comment', "fetch('https://example.test//anew');", []],
    ['a flag of cosign', 'cosign verify --certificate-identity https://example.com', []],
    ['the identity encoding', "accept('gzip, identity encoding');", []],
  ])('wording to avoid is found in code: %s', (_where, text, expected) => {
    const found = hitsInText('src/example.ts', text).map((hit) => hit.found);
    expect(found).toEqual(expected.map((words) => expect.stringContaining(words) as unknown));
  });

  it('wording to avoid is found in pages, by line', () => {
    expect(hitsInText('docs/example.md', 'Fine.\nThe log tells the figures.')).toMatchObject([
      { line: 2, instead: 'value, usage' },
      { line: 2, instead: 'shows, reports, logs' },
    ]);
  });
});
