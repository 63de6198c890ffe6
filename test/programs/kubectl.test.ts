import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { LoopbackServer, replyWith } from '../http/loopback-server.js';
import { aCommandContext } from '../support/command-context.js';
import { kubectlLines, type UnderstoodLine } from '../support/kubectl-lines.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

const emptyCluster: Readonly<Record<string, object>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [{ name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get', 'list', 'watch'] }],
  },
};
const emptyList = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };

/** What the requests of kubectl for pods show of its flags. */
function understood(requests: readonly URL[]): UnderstoodLine {
  const [path, search] = [requests[0]?.pathname ?? '', requests[0]?.searchParams];
  const [, namespace] = /\/namespaces\/([^/]*)\//.exec(path) ?? [];
  const found = {
    namespace: namespace === 'default' ? undefined : namespace,
    allNamespaces: namespace === undefined ? true : undefined,
    selector: search?.get('labelSelector') ?? undefined,
    watch: requests.some(({ searchParams }) => searchParams.has('watch')) ? true : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function configOf(server: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'dev',
    contexts: [
      { name: 'dev', context: { cluster: 'c1', user: 'ann' } },
      { name: 'other', context: { cluster: 'c2', user: 'bob' } },
    ],
    clusters: ['c1', 'c2'].map((name) => ({ name, cluster: { server } })),
    users: [
      { name: 'ann', user: { as: 'eve', 'as-uid': '5', 'as-groups': ['g1'] } },
      { name: 'bob', user: {} },
    ],
  };
}

function impersonationOf({ rawHeaders }: IncomingMessage): readonly string[] {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name.toLowerCase()}: ${rawHeaders[index + 1] ?? ''}`] : [],
  );
  return lines.filter((text) => /^(?:authorization|impersonate)/.test(text)).sort();
}

describe.skipIf(!isInstalled('kubectl'))('kubectl (needs kubectl)', () => {
  it.each(kubectlLines)('kubectl get pods %s means what the table of flags says', async (line, expected) => {
    await using folder = await temporaryFolder();
    await using server = await LoopbackServer.listen();
    server.answer = (request, response) => {
      replyWith({ body: JSON.stringify(emptyCluster[request.url?.replace(/\?.*/, '') ?? ''] ?? emptyList) })(
        request,
        response,
      );
    };
    const args = ['get', 'pods', '--server', server.url.href, ...line.split(' ')];
    const child = spawn('kubectl', args, { env: { PATH: process.env['PATH'], HOME: folder.path }, stdio: 'ignore' });
    await once(child, 'exit');
    const urls = server.requests.map(({ url }) => new URL(url ?? '', server.url));
    const lists = urls.filter(({ pathname }) => pathname.endsWith('/pods'));
    expect(lists.length === 0 ? undefined : understood(lists)).toEqual(expected);
  });

  it.each([
    '',
    '--as=me',
    '--as-uid=7',
    '--as-group=a --as-group=b',
    '--as me --as-group=a,b',
    '--as=',
    '--user=bob',
    '--user=bob --as=u --as-group=g',
    '--user=bob --as-group=g',
    '--user=nobody',
    '--context=other',
    '--context=none',
    '--context=',
    '--cluster=c2 --user=bob',
    '--cluster=none',
  ])('top authenticates and impersonates as kubectl with the flags "%s"', async (line) => {
    await using folder = await temporaryFolder();
    await using server = await LoopbackServer.listen();
    server.answer = replyWith({ status: 404, body: '{}' });
    const kubeconfig = path.join(folder.path, 'config');
    await writeFile(kubeconfig, JSON.stringify(configOf(server.url.href)));
    const flags = ['--kubeconfig', kubeconfig, ...line.split(' ').filter((word) => word !== '')];
    for (const address of [[], ['-s', server.url.host]]) {
      server.requests.splice(0);
      const env = { PATH: process.env['PATH'], HOME: folder.path };
      await once(
        spawn('kubectl', ['get', '--raw', '/version', ...flags, ...address], { env, stdio: 'ignore' }),
        'exit',
      );
      const expected = server.requests[0] && impersonationOf(server.requests[0]);
      server.requests.splice(0);
      expect(await runArguments(['top', ...flags, ...address], aCommandContext().context)).toBe(1);
      expect(server.requests[0] && impersonationOf(server.requests[0])).toEqual(expected);
    }
  });
});
