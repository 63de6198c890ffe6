import { expect, it } from 'vitest';

import { scopeText } from '../../src/status/scope.js';

it.each([
  [{}, 'whole cluster'],
  [{ namespaces: ['shop'] }, 'namespace shop'],
  [{ namespaces: ['shop', 'media'], nodeSelector: 'pool=a' }, 'nodes pool=a; namespaces shop, media'],
  [{ podSelector: 'app=web' }, 'pods app=web'],
])('%j is: %s', (settings, text) => {
  expect(scopeText({ namespaces: [], nodeSelector: '', podSelector: '', ...settings })).toBe(text);
});
