/**
 * Prints the manifest with which krew installs `kubectl ephemeral-storage` from the packed tarball that is given, which the release
 * with the tag of its version offers for download. https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { URL } from 'node:url';

import { stringify } from 'yaml';

const [tarball] = process.argv.slice(2);
if (tarball === undefined) throw new Error('usage: node scripts/krew-manifest.mjs TARBALL');
const { version, homepage } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const repository = homepage.replace(/#.*/, '');

process.stdout.write(
  stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'ephemeral-storage' },
    spec: {
      version: `v${version}`,
      homepage: repository,
      shortDescription: 'Show what fills the disks of nodes, and who is evicted',
      description:
        'Shows the ephemeral storage of pods, containers, volumes and nodes, as the\nkubelets measure it; which pods are close to an eviction, and why pods were\nevicted.\n',
      caveats: 'Needs Node.js 20.19 or later on the PATH, and the right to get nodes/stats.\n',
      platforms: [
        {
          selector: { matchExpressions: [{ key: 'os', operator: 'In', values: ['linux', 'darwin'] }] },
          uri: `${repository}/releases/download/v${version}/${path.basename(tarball)}`,
          sha256: createHash('sha256')
            .update(await readFile(tarball))
            .digest('hex'),
          files: [{ from: 'package/*', to: '.' }],
          bin: 'dist/cli.js',
        },
      ],
    },
  }),
);
