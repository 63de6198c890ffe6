import { expect, it } from 'vitest';

import { bundledInputs } from '../support/bundle.js';

const entryPoints = ['src/cli.ts', 'src/commands/run-app.ts'];

/** The modules of the project and its libraries that are loaded with `serve`, before anything is imported at run time. */
async function loadedByServe(): Promise<readonly string[]> {
  const inputs = await bundledInputs({ entryPoints });
  const loaded = new Set<string>();
  const add = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const imports = inputs[name]?.imports ?? [];
    for (const { path, kind } of imports) if (kind === 'import-statement') add(path);
  };
  for (const entryPoint of entryPoints) add(entryPoint);
  return [...loaded];
}

it('serve loads code of the page, the agent, kubeconfigs, proxies and simulated clusters only when needed', async () => {
  const loaded = await loadedByServe();
  const lazy =
    /^src\/people\/(pens\/(?!document)|status\/|answers\/)|^src\/agent\/|kubeconfig-source|kube-config|proxy-agent|^sim\//;
  expect(loaded.filter((name) => lazy.test(name))).toEqual([]);
  expect(loaded).toEqual(
    expect.arrayContaining(['src/serve/app/app.ts', 'src/serve/server/deferred-status.ts', 'express']),
  );
});
