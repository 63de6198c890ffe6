import { describe } from 'vitest';

import { isInstalled } from './programs.js';

/** The programs of one version, as options of a server. */
interface PrometheusPrograms {
  readonly program: string;
  readonly promtool: string;
}

/** The oldest supported version, from Debian, and that of `.ci/build-programs`. */
const versions: readonly PrometheusPrograms[] = [
  { program: 'prometheus', promtool: 'promtool' },
  { program: 'prometheus3', promtool: 'promtool3' },
];

/** A suite for each version of Prometheus; that of a version that is not installed is skipped. */
export function describeInEachPrometheus(name: string, suite: (programs: PrometheusPrograms) => void): void {
  for (const programs of versions) {
    const { program, promtool } = programs;
    describe.skipIf(!isInstalled(program) || !isInstalled(promtool))(`${name} (needs ${program}, ${promtool})`, () => {
      suite(programs);
    });
  }
}
