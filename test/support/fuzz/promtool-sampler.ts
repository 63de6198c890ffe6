import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { isInstalled } from '../programs.js';

/** Those of Prometheus 2 and 3, as far as they are on the PATH. */
export const installedPromtools = (): readonly string[] => ['promtool', 'promtool3'].filter(isInstalled);

/** Rejects with what `promtool check metrics` says. */
export async function checkWithPromtool(promtool: string, exposition: Buffer): Promise<void> {
  const child = spawn(promtool, ['check', 'metrics'], { stdio: 'pipe' });
  child.stdin.on('error', () => undefined); // it reads no further than to a fault
  child.stdin.end(exposition);
  const [out, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0 || out + error !== '') throw new Error(`${promtool}: exit code ${String(code)}: ${out}${error}`);
}

/** Has some of the distinct expositions checked, since a process for each would take most of the time. */
export class PromtoolSampler {
  readonly #promtools: readonly string[];
  readonly #oneIn: number;
  readonly #seen = new Set<string>();
  #checkedCount = 0;
  #hasFailed = false;

  /** `oneIn`: 20 for every twentieth exposition, the same ones in every run. */
  constructor(promtools: readonly string[], oneIn: number) {
    this.#promtools = promtools;
    this.#oneIn = oneIn;
  }

  /** Of distinct expositions. */
  get counts(): { readonly distinct: number; readonly checked: number } {
    return { distinct: this.#seen.size, checked: this.#checkedCount };
  }

  /** Rejects when promtool does. After that every exposition is checked, so that the input can be shrunk. */
  async check(exposition: Buffer): Promise<void> {
    const digest = createHash('sha256').update(exposition).digest();
    const key = digest.toString('base64');
    const isNew = !this.#seen.has(key);
    this.#seen.add(key);
    const isSampled = isNew && digest.readUInt32BE() % this.#oneIn === 0;
    if (this.#promtools.length === 0 || !(isSampled || this.#hasFailed)) return;
    try {
      await Promise.all(this.#promtools.map((promtool) => checkWithPromtool(promtool, exposition)));
      if (isNew) this.#checkedCount += 1;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }
}
