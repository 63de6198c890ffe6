import { describe, expect, it } from 'vitest';

import { imageLaunch } from '../../scripts/bench/image-launch.js';
import { readProjectFile } from '../support/install-lines.js';

describe('imageLaunch: how the image starts the exporter', () => {
  it('the image starts with the flags between node and the program, and the environment of the last stage', () => {
    const dockerfile = `FROM node AS build
ENV NODE_ENV=development
FROM node
# ENV IGNORED=1
ENV NODE_ENV=production
ENV MALLOC_ARENA_MAX=2
ENTRYPOINT ["node", "--a=1", "--no-b", "/app/dist/cli.js"]
`;
    expect(imageLaunch(dockerfile)).toEqual({
      flags: ['--a=1', '--no-b'],
      environment: { NODE_ENV: 'production', MALLOC_ARENA_MAX: '2' },
    });
  });

  it('the Dockerfile of this project is understood', () => {
    const { flags, environment } = imageLaunch(readProjectFile('Dockerfile'));
    expect(flags.length).toBeGreaterThan(0);
    expect(environment).toMatchObject({ NODE_ENV: 'production' });
  });
});
