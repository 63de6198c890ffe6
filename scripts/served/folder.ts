import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Families about the process: they differ from run to run. */
const ownPrefixes = ['ephemeral_storage_exporter_', 'process_', 'nodejs_'];

/** A folder of texts whose parts that differ from run to run are taken out. */
export class ServedFolder {
  readonly #location: string;

  constructor(location: string) {
    this.#location = location;
  }

  async write(name: string, text: string): Promise<void> {
    const file = path.join(this.#location, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, withoutPorts(text));
  }

  /** Writes an exposition without the self metrics. */
  async writeExposition(name: string, text: string): Promise<void> {
    const kept = text.split(/^(?=# HELP )/m).filter((family) => !ownPrefixes.some((prefix) => isOf(family, prefix)));
    await this.write(name, kept.join(''));
  }
}

function isOf(family: string, prefix: string): boolean {
  return family.startsWith(`# HELP ${prefix}`);
}

function withoutPorts(text: string): string {
  return text.replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1:PORT').replaceAll(/("kubeletPort":\s*)\d+/g, '$1PORT');
}
