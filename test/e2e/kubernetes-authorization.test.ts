// @module-tag sockets

import { hashSync } from 'bcryptjs';
import { describe, expect, it } from 'vitest';

import type { Rule } from '../../sim/access.js';
import { Exporter, type ExporterOptions, leastRules, reviewRule } from '../support/exporter.js';
import { basicAuth, send } from '../support/http-get.js';

const mayScrape: Rule = { verbs: ['get'], nonResourceURLs: ['/metrics'] };

type Headers = Readonly<Record<string, string>>;

function start(options: ExporterOptions = {}): Promise<Exporter> {
  return Exporter.start({
    settings: 'web: {authorization: kubernetes, enableLifecycle: true}',
    rules: [...leastRules, reviewRule],
    ...options,
  });
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** The headers with the token of a user that has these rules. */
function userOf({ cluster }: Exporter, rules: readonly Rule[], user = 'prometheus'): Headers {
  return bearer(cluster.issueToken({ user, rules }));
}

async function statusOf(exporter: Exporter, headers: Headers = {}, path = '/metrics'): Promise<number> {
  return (await exporter.get(path, headers)).status;
}

describe('with the authorization of the cluster', () => {
  it('metrics need a token with the authorization of the cluster', async () => {
    await using exporter = await start();
    for (const headers of [{}, bearer('x'), { authorization: 'Basic YTpi' }, { authorization: 'Bearer' }]) {
      const answer = await exporter.get('/metrics', headers);
      expect([answer.status, answer.text]).toEqual([401, 'unauthorized\n']);
      expect(answer.headers['www-authenticate']).toBe('Bearer realm="ephemeral-storage-exporter"');
    }
  });

  it('metrics need the token of a user that may get them; another one hears which rule it lacks', async () => {
    await using exporter = await start();
    expect(await statusOf(exporter, userOf(exporter, [mayScrape]))).toBe(200);
    const denied = await exporter.get('/metrics', userOf(exporter, [], 'other'));
    const reason =
      'User "other" cannot get path "/metrics"; grant it with the RBAC rule {nonResourceURLs: ["/metrics"], verbs: ["get"]} in a ClusterRole';
    expect([denied.status, denied.text]).toEqual([403, `forbidden: ${reason}\n`]);
    expect(exporter.log.join('')).toContain(JSON.stringify(reason));
  });

  it('the status needs the rule for /, also as JSON, whose path every user of a cluster may get', async () => {
    await using exporter = await start();
    await exporter.synced();
    const admin = userOf(exporter, [{ verbs: ['get'], nonResourceURLs: ['/'] }], 'admin');
    const paths = ['/', '/pods', '/search', '/nodes/none', '/api/v1/status', '/api/v1/evictions', '/api/v1/pods'];
    for (const path of [...paths, '/api/v1/openapi.json', '/api/v1/pods/shop/none']) {
      expect([path, await statusOf(exporter, {}, path)]).toEqual([path, 401]);
      expect([path, await statusOf(exporter, admin, path)]).toEqual([path, path.endsWith('/none') ? 404 : 200]);
    }
    const prometheus = userOf(exporter, [mayScrape]);
    for (const path of [...paths, '/api/v1/openapi.json', '/api/v1/pods/shop/none']) {
      expect([path, await statusOf(exporter, prometheus, path)]).toEqual([path, 403]);
    }
    const reload = { port: exporter.app.ports[0] ?? 0, path: '/-/reload', method: 'POST', headers: admin };
    expect((await send(reload)).status).toBe(403);
  });

  it('an unknown path needs the rule for /, whatever else a user may get, and is no way to what needs another rule', async () => {
    await using exporter = await start();
    await exporter.synced();
    const html = { accept: 'text/html' };
    const urls = ['/metrics', '/foo', '/foo/*', '/version', '/api/*', '/nodes/x/y'];
    const other = { ...html, ...userOf(exporter, [{ verbs: ['get'], nonResourceURLs: urls }], 'other') };
    const admin = { ...html, ...userOf(exporter, [{ verbs: ['get'], nonResourceURLs: ['/'] }], 'admin') };
    const unknown = ['/foo', '/foo/bar', '/version', '/api', '/api/x', '/nodes/x/y', '//', '/METRICS'];
    for (const path of [...unknown, '/%6Detrics', '/./metrics', '/x/../metrics', '/%2e/', '/livez/', '/-/reload/']) {
      const [none, refused, found] = [
        await exporter.get(path, html),
        await exporter.get(path, other),
        await exporter.get(path, admin),
      ];
      expect([path, none.status, none.text]).toEqual([path, 401, 'unauthorized\n']);
      expect([path, refused.status, refused.text.split('\n').length]).toEqual([path, 403, 2]);
      expect([path, found.status]).toEqual([path, /[^/]\/$/.test(path) ? 308 : 404]);
      expect(found.text).not.toContain('# TYPE');
    }
    expect((await exporter.get('http://exporter/metrics', admin)).status).toBe(403);
    expect((await exporter.get('http://exporter/metrics', other)).status).toBe(200);
  });

  it.each(['/livez', '/healthz', '/readyz', '/readyz?verbose'])('%s is open without a token', async (path) => {
    await using exporter = await start({ rules: leastRules });
    await exporter.synced();
    await exporter.cluster.setApiFault('down');
    expect(await statusOf(exporter, {}, path)).toBe(200);
  });

  it('nobody gets in while the exporter may not ask, and the log has the rule', async () => {
    await using exporter = await start({ rules: leastRules });
    const answer = await exporter.get('/metrics', userOf(exporter, [mayScrape]));
    expect([answer.status, answer.text]).toEqual([503, 'the credentials could not be checked: see the log\n']);
    expect(exporter.log.join('')).toMatch(
      /a token could not be reviewed.*grant it with the RBAC rule \{apiGroups: \[\\"authentication\.k8s\.io\\"\], resources: \[\\"tokenreviews\\"\], verbs: \[\\"create\\"\]\} in its ClusterRole/,
    );
  });

  it('a token must be for the API server', async () => {
    await using exporter = await start();
    const { cluster } = exporter;
    const own = bearer(cluster.issueToken({ user: 'prometheus', rules: [mayScrape] }));
    const others = bearer(cluster.issueToken({ user: 'prometheus', rules: [mayScrape], audiences: ['vault'] }));
    expect([await statusOf(exporter, own), await statusOf(exporter, others)]).toEqual([200, 401]);
  });

  it('passwords of the file are accepted beside the authorization of the cluster', async () => {
    const users = new Map([['alice', hashSync('secret', 4)]]);
    await using exporter = await start({ web: { users } });
    expect(await statusOf(exporter, basicAuth('alice', 'secret'))).toBe(200);
    expect(await statusOf(exporter, userOf(exporter, [mayScrape]))).toBe(200);
    expect(await statusOf(exporter, basicAuth('alice', 'wrong'))).toBe(401);
    const refused = await exporter.get('/metrics');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      'Basic realm="ephemeral-storage-exporter", charset="UTF-8", Bearer realm="ephemeral-storage-exporter"',
    ]);
  });

  it('the log warns of clear text, and has no tokens', async () => {
    await using exporter = await start();
    const headers = userOf(exporter, [mayScrape]);
    await exporter.get('/metrics', headers);
    await exporter.get('/metrics', bearer('wrong-token'));
    await exporter.cluster.setApiFault('down');
    await exporter.get('/metrics', bearer('unchecked-token'));
    const log = exporter.log.join('');
    expect(log).toContain('credentials travel in clear text');
    for (const secret of [headers['authorization']?.slice(7) ?? '', 'wrong-token', 'unchecked-token']) {
      expect(log).not.toContain(secret);
    }
  });
});
