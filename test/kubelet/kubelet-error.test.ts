import { expect, it } from 'vitest';

import { type KubeletErrorContext, kubeletErrorFromResponse } from '../../src/cluster/kubelet/kubelet-error.js';
import { aNode } from '../support/builders.js';

function messageFor(status: number, context: Partial<KubeletErrorContext>, text = 'no'): string {
  const response = { what: 'summary of node n1', status, headers: {}, text };
  const known = { path: '/stats/summary', node: aNode(), isApiServerAway: false } as const;
  return kubeletErrorFromResponse(response, { ...known, ...context }).message;
}

const withoutIsolation = aNode({ enforcesStorageLimits: false });

it.each<[string, number, Partial<KubeletErrorContext>, RegExp]>([
  ['a token that it refuses', 401, {}, /answered 401: no; the token or client certificate is missing, invalid/],
  ['a token that it cannot check', 401, { isApiServerAway: true }, /answered 401: no; the API server is away, and/],
  [
    'a missing permission',
    403,
    { isApiServerAway: true },
    /answered 403: no; grant .*"nodes\/stats"\].* other nodes answer/,
  ],
  [
    'one for configurations',
    403,
    { path: '/configz' },
    /"nodes\/configz"\].*1\.33 or later.*kubelet\.readConfig to false$/,
  ],
  [
    'no isolation of local storage',
    500,
    { node: withoutIsolation },
    /answered 500: no; .*localStorageCapacityIsolation/,
  ],
  ['no isolation, but another path', 500, { node: withoutIsolation, path: '/configz' }, /answered 500: no$/],
  ['no isolation, but another status', 404, { node: withoutIsolation }, /answered 404: no$/],
  ['nothing that is known', 500, { isApiServerAway: true }, /answered 500: no$/],
])('the error of a kubelet names the cause: %s', (_case, status, context, expected) => {
  expect(messageFor(status, context)).toMatch(expected);
});

it.each([
  ['two\n  lines\u0000\t', 'two lines'],
  ['x'.repeat(1_000), `${'x'.repeat(300)}…`],
])('the error of a kubelet quotes it on one line of limited length: %.20j', (text, quoted) => {
  expect(messageFor(429, {}, text)).toBe(`summary of node n1: the kubelet answered 429: ${quoted}`);
});
