import { expect, it } from 'vitest';

import { imageLaunch } from '../../scripts/bench/image-launch.js';
import { readProjectFile } from '../support/install-lines.js';

it('the benchmark understands how the Dockerfile of this project starts the exporter', () => {
  const { flags, environment } = imageLaunch(readProjectFile('Dockerfile'));
  expect(flags.length).toBeGreaterThan(0);
  expect(environment).toMatchObject({ NODE_ENV: 'production' });
});
