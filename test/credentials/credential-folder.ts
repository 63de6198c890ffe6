/** Kubeconfigs and service accounts in a folder, and the credentials of them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect } from 'vitest';

import { loadCredentials, type LoadCredentialsOptions } from '../../src/cluster/credentials/load-credentials.js';
import { UserError } from '../../src/lib/base/errors.js';
import { ManualClock } from '../support/manual-clock.js';

/** A folder for one test; also the home folder. */
export class CredentialFolder implements AsyncDisposable {
  readonly path: string;
  readonly clock = new ManualClock();

  private constructor(path: string) {
    this.path = path;
  }

  static async create(): Promise<CredentialFolder> {
    return new CredentialFolder(await mkdtemp(join(tmpdir(), 'credentials-test-')));
  }

  async write(name: string, content: string): Promise<string> {
    const path = join(this.path, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
    return path;
  }

  /** JSON is YAML. */
  async writeKubeconfig(name: string, content: object): Promise<string> {
    return this.write(name, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...content }));
  }

  load(options: Partial<LoadCredentialsOptions> = {}) {
    return loadCredentials({
      environment: {},
      homeDir: this.path,
      inClusterDir: join(this.path, 'serviceaccount'),
      clock: this.clock,
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Of one cluster and one user; the context `bare` has no user. */
export function kubeconfig(user: object, cluster: object = {}) {
  return {
    'current-context': 'dev',
    contexts: [
      { name: 'dev', context: { cluster: 'c1', user: 'u1', namespace: 'shop' } },
      { name: 'bare', context: { cluster: 'c1' } },
    ],
    clusters: [{ name: 'c1', cluster: { server: 'https://192.0.2.1:6443/base', ...cluster } }],
    users: [{ name: 'u1', user }],
  };
}

/** The message of what the user must mend. */
export async function fault(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return error instanceof UserError ? error.message : '';
}
