import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { type KubeObject, manifestsFolder, objectsOf } from './documents.js';

/** Whether there is a kubectl that supports our kustomizations, which need kustomize 5: version 1.27 or later. */
export function canRender(): boolean {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  if (status !== 0) return false;
  const { kustomizeVersion = '' } = JSON.parse(stdout) as { readonly kustomizeVersion?: string };
  return Number(/^v(\d+)/.exec(kustomizeVersion)?.[1] ?? 0) >= 5;
}

/** The objects of `kubectl apply -k`. */
function render(folder: string): readonly KubeObject[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return objectsOf(stdout, folder);
}

export function renderOverlay(overlay: string): readonly KubeObject[] {
  return render(join(manifestsFolder, 'overlays', overlay));
}

function inTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'ephemeral-storage-exporter-test-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface OwnKustomization {
  /** `MANIFESTS` stands for the path to `manifests`. */
  readonly text: string;
  /** Of the file `config.yaml` beside it. */
  readonly config?: string;
}

/** Renders a user's kustomization. */
export function renderOwn({ text, config }: OwnKustomization): readonly KubeObject[] {
  return inTemporaryFolder((folder) => {
    // Kustomize requires relative folders.
    const manifests = relative(folder, manifestsFolder);
    writeFileSync(join(folder, 'kustomization.yaml'), text.replaceAll('MANIFESTS', manifests));
    if (config !== undefined) writeFileSync(join(folder, 'config.yaml'), config);
    return render(folder);
  });
}

/** Renders an overlay of a copy of the manifests that `change` has changed. */
export function renderChanged(overlay: string, change: (root: string) => void): readonly KubeObject[] {
  return inTemporaryFolder((root) => {
    for (const part of ['manifests', 'charts']) {
      const source = join(manifestsFolder, '..', part);
      if (existsSync(source)) cpSync(source, join(root, part), { recursive: true });
    }
    change(root);
    return render(join(root, 'manifests', 'overlays', overlay));
  });
}

/** Renders an overlay in which the lines of these components are uncommented. */
export function renderOptedIn(overlay: string, components: readonly string[]): readonly KubeObject[] {
  return renderChanged(overlay, (root) => {
    const file = join(root, 'manifests', 'overlays', overlay, 'kustomization.yaml');
    const uncommented = components.reduce(
      (before, component) => {
        const line = `- ../../components/${component}\n`;
        const after = before.replace(`# ${line}`, line);
        if (after === before) throw new Error(`${overlay} has no line for ${component}`);
        return after;
      },
      readFileSync(file, 'utf8'),
    );
    writeFileSync(file, uncommented);
  });
}
