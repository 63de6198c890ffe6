import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { type KubeObject, manifestsFolder, objectsOf } from './documents.js';

/** The objects that `kubectl apply -k` would send. */
export function render(folder: string): readonly KubeObject[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  if (status !== 0 || stderr !== '') throw new Error(`kubectl kustomize ${folder}: ${stderr}`);
  return objectsOf(stdout, folder);
}

export function renderOverlay(overlay: string): readonly KubeObject[] {
  return render(join(manifestsFolder, 'overlays', overlay));
}

/** Renders a kustomization of a user's own; `text` is given the path to `manifests`, which kustomize wants relative. */
export function renderOver(text: (manifests: string) => string): readonly KubeObject[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'ephemeral-storage-exporter-test-'));
  try {
    writeFileSync(join(folder, 'kustomization.yaml'), text(relative(folder, manifestsFolder)));
    return render(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
