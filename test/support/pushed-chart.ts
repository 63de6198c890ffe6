import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

import { installLines, packageFacts } from './install-lines.js';
import { chartFolder, type HelmName } from './manifests/helm.js';
import { OciRegistry } from './oci-registry.js';

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

async function outputIn(home: string, program: string, args: readonly string[]): Promise<Output> {
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  return promisify(execFile)(program, args, { env, maxBuffer: 2 ** 26 });
}

/** Its output; in another process, while this one serves what it reads. */
export async function runIn(home: string, program: string, args: readonly string[]): Promise<string> {
  return (await outputIn(home, program, args)).stdout;
}

/** The words of a shell command that quotes at most whole words. */
export const wordsOf = (line: string): readonly string[] => line.replaceAll("'", '').split(' ');

/** The chart in a registry on loopback, as the release pushes it. */
export class PushedChart implements AsyncDisposable {
  /** What helm said of the push. */
  readonly output: string;
  readonly #registry: OciRegistry;

  private constructor(registry: OciRegistry, output: string) {
    this.#registry = registry;
    this.output = output;
  }

  /** Packaged and pushed by `helm`, in a folder that is its home. */
  static async push(helm: HelmName, folder: string): Promise<PushedChart> {
    const { version, owner, name } = packageFacts();
    const registry = await OciRegistry.start();
    await runIn(folder, helm, ['package', chartFolder, '--destination', folder]);
    const archive = path.join(folder, `${name}-${version}.tgz`);
    const repository = `oci://${registry.host}/${owner}/charts`;
    const { stdout, stderr } = await outputIn(folder, helm, ['push', '--plain-http', archive, repository]);
    return new PushedChart(registry, stdout + stderr);
  }

  /** Names with their tags. */
  get tags(): readonly string[] {
    return this.#registry.tags;
  }

  get digest(): string | undefined {
    const { version, owner, name } = packageFacts();
    return this.#registry.digestOf(`${owner}/charts/${name}`, version);
  }

  /** The arguments of helm in the README, for this registry. */
  get installArguments(): readonly string[] {
    const [, line = ''] = installLines();
    const [, ...args] = wordsOf(line.replace(/(?<=oci:\/\/)[^/]+/, this.#registry.host));
    return [...args, '--plain-http'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry[Symbol.asyncDispose]();
  }
}
