import { spawnSync } from 'node:child_process';

import { expect, it } from 'vitest';

// @ts-expect-error: it runs where nothing is installed
import * as untyped from '../../scripts/release-notes.mjs';

const { releaseNotes } = untyped as { releaseNotes: (changelog: string, version: string) => string };

const changelog = `# Changelog

Words.

## [Unreleased]

- Later.

## [0.2.0] - 2026-12-01

### Added

- One thing.

## [0.1.0] - 2026-11-01

- The first.

[0.2.0]: https://example.com/0.2.0
`;

it.each([
  ['0.2.0', '### Added\n\n- One thing.'],
  ['0.1.0', '- The first.'],
])('notes of a release are the section of its version: %s', (version, notes) => {
  expect(releaseNotes(changelog, version)).toBe(notes);
});

it('a version without a section has no notes, which ends the release', () => {
  expect(() => releaseNotes(changelog, '0.3.0')).toThrow('CHANGELOG.md has no section for 0.3.0');
  const { status, stdout } = spawnSync(process.execPath, ['scripts/release-notes.mjs', '99.0.0'], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
});
