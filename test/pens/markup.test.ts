import fc from 'fast-check';
import { expect, it } from 'vitest';

import { lines, markup } from '../../src/people/pens/markup.js';

it('markup escapes values in text and in attributes', () => {
  const hostile = `"><img src=x onerror='alert(1)'>&`;
  expect(markup`<a title="${hostile}">${hostile}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;">&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;</a>',
  );
});

it('markup keeps nested markup, joins lists, prints numbers and skips undefined', () => {
  const items = ['a<', markup`<b>${1.5}</b>`, undefined];
  expect(markup`<p>${items}</p>`.text).toBe('<p>a&lt;<b>1.5</b></p>');
});

it.each([
  ['\u202Eevil', String.raw`\u202eevil`],
  ['a\u0000b', String.raw`a\u0000b`],
  ['line\nbreak', String.raw`line\u000abreak`],
  ['\u2066x\u2069', String.raw`\u2066x\u2069`],
])('markup makes %j visible', (text, shown) => {
  expect(markup`${text}`.text).toBe(shown);
});

it('text in markup never opens or closes an element', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(markup`${text}`.text).not.toMatch(/[<>"'\p{Cc}\p{Cf}]/u);
    }),
  );
});

it('markup keeps the lines of a text', () => {
  expect(lines('a: <b>\n  c: \u202E\n').text).toBe('a: &lt;b&gt;\n  c: \\u202e\n');
});
