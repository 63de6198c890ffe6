import { expect, it } from 'vitest';

import { nodeHint } from '../../src/people/report/absence-hints.js';
import { absenceCommands } from '../../src/people/report/verdict-commands.js';

const summary = 'summary of node node-1';
const failed = `${summary}: connection failed`;
const verification = `${summary}: TLS verification failed`;

it.each([
  ['tls', `${verification}: certificate has expired (CERT_HAS_EXPIRED)`, 'has expired. Renew it'],
  ['tls', `${verification}: certificate is not yet valid (CERT_NOT_YET_VALID)`, 'Check the clocks'],
  [
    'tls',
    `${verification}: Hostname/IP does not match certificate's altnames (ERR_TLS_CERT_ALTNAME_INVALID)`,
    'another name. Set kubelet.tls.serverName',
  ],
  ['tls', `${verification}: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`, 'Set kubelet.tls.caFile'],
  ['connection', `${failed}: socket hang up (ECONNRESET)`, 'ended before the answer was complete'],
  ['connection', `${failed}: aborted (ECONNRESET)`, 'ended before the answer was complete'],
  ['connection', `${failed}: connect ECONNREFUSED 10.0.0.1:10250`, 'cannot be reached'],
  ['http_status', `${summary}: the server answered 307; redirects are not followed`, 'redirects requests'],
  ['http_status', `${summary}: the server answered 500`, "Check the kubelet's log"],
  [
    'forbidden',
    `${summary}: the kubelet answered 403`,
    'where no node answers; otherwise check the authorization of the kubelet',
  ],
] as const)('the fix of %s is that of its cause: %s', (reason, message, hint) => {
  expect(nodeHint(reason, { message })).toContain(hint);
});

it('a certificate that has expired is not fixed by settings', () => {
  const message = `${verification}: certificate has expired (CERT_HAS_EXPIRED)`;
  expect(nodeHint('tls', { message })).not.toMatch(/kubelet\.tls/);
});

it.each([
  ['the server answered 307; redirects are not followed', false],
  ['the server answered 500', true],
])('after "%s" the log of the kubelet is a next step: %s', (message, expected) => {
  const commands = absenceCommands('http_status', 'node-1', { message });
  expect(commands.some((command) => command.includes('journalctl'))).toBe(expected);
});
