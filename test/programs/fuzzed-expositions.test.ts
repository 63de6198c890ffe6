import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { checkWithPromtool } from '../support/fuzz/promtool-sampler.js';
import { fuzzTargets } from '../support/fuzz/targets.js';
import { isInstalled } from '../support/programs.js';

const names = ['summary', 'pods'];

describe.each(['promtool', 'promtool3'])('%s and hostile input', (promtool) => {
  it.skipIf(!isInstalled(promtool)).each(names)('expositions of hostile input are accepted: %s', async (name) => {
    let checkedCount = 0;
    const checkExposition = async (exposition: Buffer): Promise<void> => {
      checkedCount += 1;
      await checkWithPromtool(promtool, exposition);
    };
    const [target] = (await fuzzTargets({ checkExposition })).filter((candidate) => candidate.name === name);
    if (target === undefined) throw new Error(`no target ${name}`);
    await fc.assert(fc.asyncProperty(target.input, target.check), { numRuns: 60 });
    expect(checkedCount).toBeGreaterThan(10);
  });

  it.skipIf(!isInstalled(promtool)).each([
    ['a family twice', '# HELP a b\n# TYPE a gauge\na 1\n# TYPE a gauge\na 1\n'],
    ['a forged line', '# HELP a b\n# TYPE a gauge\na{x="1\n"} 1\n'],
  ])('promtool would refuse %s', async (_what, exposition) => {
    await expect(checkWithPromtool(promtool, Buffer.from(exposition))).rejects.toThrow(promtool);
  });
});
