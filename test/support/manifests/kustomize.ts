import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { type KubeObject, manifestsFolder, objectsOf } from './documents.js';

/** The objects that `kubectl apply -k` would send. */
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

/** Renders a kustomization of a user's own; `text` is given the path to `manifests`, which kustomize wants relative. */
export function renderOver(text: (manifests: string) => string): readonly KubeObject[] {
  return inTemporaryFolder((folder) => {
    writeFileSync(join(folder, 'kustomization.yaml'), text(relative(folder, manifestsFolder)));
    return render(folder);
  });
}

/** Renders an overlay in which the lines of these components are uncommented. */
export function renderOptedIn(overlay: string, components: readonly string[]): readonly KubeObject[] {
  return inTemporaryFolder((folder) => {
    for (const part of ['manifests', 'grafana']) {
      const source = join(manifestsFolder, '..', part);
      if (existsSync(source)) cpSync(source, join(folder, part), { recursive: true });
    }
    const overlayFolder = join(folder, 'manifests', 'overlays', overlay);
    const file = join(overlayFolder, 'kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    const uncommented = components.reduce((before, component) => {
      const line = `- ../../components/${component}\n`;
      const after = before.replace(`# ${line}`, line);
      if (after === before) throw new Error(`${overlay} does not offer ${component}`);
      return after;
    }, text);
    writeFileSync(file, uncommented);
    return render(overlayFolder);
  });
}
