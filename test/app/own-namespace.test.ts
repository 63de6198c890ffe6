import { expect, it } from 'vitest';

import { withOwnNamespace } from '../../src/app/resolve-scope.js';
import { UserError } from '../../src/base/errors.js';
import { settingsOf } from '../support/exporter.js';

const of = (settings: string, namespace: string | undefined) =>
  withOwnNamespace(settingsOf(settings), { namespace, description: 'service account in /run' }).cluster.namespaces;

it.each([
  ['are all without the setting', '', 'monitoring', []],
  ['are the own one alone', 'cluster: {ownNamespace: true}', 'monitoring', ['monitoring']],
  ['have the own one in addition', 'cluster: {ownNamespace: true, namespaces: [a, b]}', 'm', ['a', 'b', 'm']],
  ['have the own one once', 'cluster: {ownNamespace: true, namespaces: [m, b]}', 'm', ['m', 'b']],
])('the namespaces %s', (_case, settings, namespace, expected) => {
  expect(of(settings, namespace)).toEqual(expected);
});

it.each([
  ['no namespace', undefined, 'name no namespace'],
  ['what is no name', '../x', 'name the namespace "../x"'],
])('the namespaces are not known when the credentials name %s', (_case, namespace, found) => {
  const own = (): unknown => of('cluster: {ownNamespace: true}', namespace);
  expect(own).toThrow(UserError);
  expect(own).toThrow(
    `cluster.ownNamespace is true, but the credentials (service account in /run) ${found}; set cluster.namespaces instead`,
  );
});
