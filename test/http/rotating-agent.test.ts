import { describe, expect, it } from 'vitest';

import { RotatingAgent } from '../../src/cluster/http/rotating-agent.js';

const tls = { rejectUnauthorized: true };

/** A proxy whose agent cannot be made `failureCount` times, as when the file of its module cannot be opened. */
function faultyProxy(protocol: string, failureCount: number) {
  const made = { count: 0 };
  const proxy = {
    get url(): URL {
      made.count += 1;
      if (made.count <= failureCount) throw new Error('EMFILE: too many open files');
      return new URL(`${protocol}//proxy.example:1080`);
    },
    serverHost: 'api.example',
    timeoutMs: 0,
  };
  return { proxy, made };
}

describe.each(['http:', 'socks5:'])('RotatingAgent with a proxy of %s', (protocol) => {
  it('an agent that could not be made once is made for the next request, and kept from then on', async () => {
    const { proxy, made } = faultyProxy(protocol, 1);
    using agents = new RotatingAgent({ isTls: true, proxy });
    const failed = [agents.agentFor(tls), agents.agentFor(tls)];
    for (const agent of failed) await expect(agent).rejects.toThrow('EMFILE');
    expect(made.count).toBe(1);
    const agent = await agents.agentFor(tls);
    expect(await agents.agentFor(tls)).toBe(agent);
  });

  it('an agent of later credentials stays when an earlier one could not be made', async () => {
    const { proxy } = faultyProxy(protocol, 1);
    using agents = new RotatingAgent({ isTls: true, proxy });
    const failed = expect(agents.agentFor(tls)).rejects.toThrow('EMFILE');
    const agent = agents.agentFor({ ...tls, serverName: 'other.example' });
    await failed;
    expect(await agents.agentFor({ ...tls, serverName: 'other.example' })).toBe(await agent);
  });
});
