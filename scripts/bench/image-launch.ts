/** How the image starts the exporter: measured without what the Dockerfile sets, it takes more memory than it does for users. */
export interface ImageLaunch {
  /** Of Node.js. */
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads the last stage of a Dockerfile. Throws unless its entry point is `["node", FLAGS…, FILE]`. */
export function imageLaunch(dockerfile: string): ImageLaunch {
  const stage = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
  const entryPoint: unknown = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(stage)?.[1] ?? 'null');
  if (!Array.isArray(entryPoint) || entryPoint[0] !== 'node')
    throw new Error('the entry point is not node with a file');
  const settings = stage.matchAll(/^ENV (\w+)=(\S+)$/gm);
  return {
    flags: entryPoint.slice(1, -1).map(String),
    environment: Object.fromEntries(Array.from(settings, ([, name = '', value = '']) => [name, value])),
  };
}
