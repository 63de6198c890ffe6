import { execFileSync, spawnSync } from 'node:child_process';
import { appendFile, copyFile, cp, mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What the Dockerfile's commands run, besides Node.js and npm; `env` starts scripts. */
const systemPrograms = ['sh', 'rm', 'chmod', 'env'];

/** Where the kubelet mounts what a pod reads: a read-only root filesystem has to have them. */
export const mountPoints = {
  account: '/var/run/secrets/kubernetes.io/serviceaccount',
  settings: '/etc/ephemeral-storage-exporter',
} as const;

const output = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

export const pathOf = (program: string): Promise<string> => realpath(output('sh', '-c', `command -v ${program}`));

/** Their absolute paths, the dynamic linker among them; none of a static program. */
const librariesOf = (file: string): readonly string[] =>
  spawnSync('ldd', [file], { encoding: 'utf8' }).stdout.match(/\/\S+/g) ?? [];

async function copyInto(root: string, target: string, file: string): Promise<void> {
  const copy = path.join(root, target);
  await mkdir(path.dirname(copy), { recursive: true });
  await copyFile(file, copy);
}

/** Copies programs of this machine into `/bin` of a root filesystem, with their libraries. The files by the names that they get. */
export async function copyPrograms(root: string, programs: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, file] of programs) {
    await copyInto(root, `bin/${name}`, file);
    for (const library of librariesOf(file)) await copyInto(root, library, library);
  }
}

/**
 * Fills an empty root filesystem with what the Dockerfile expects of the base image: Node.js with npm, a shell and few commands,
 * those of this machine. Images of a registry would need its service.
 */
export async function fillBase(root: string): Promise<void> {
  const programs = new Map([['node', await realpath(process.execPath)]]);
  for (const name of systemPrograms) programs.set(name, await pathOf(name));
  await copyPrograms(root, programs);
  const folders = ['dev', 'proc', 'tmp', 'root', 'usr/lib', ...Object.values(mountPoints)];
  for (const folder of folders) await mkdir(path.join(root, folder), { recursive: true });
  await symlink('../bin', path.join(root, 'usr/bin'));
  await cp(path.resolve(await pathOf('npm'), '../..'), path.join(root, 'usr/lib/npm'), { recursive: true });
  await symlink('../usr/lib/npm/bin/npm-cli.js', path.join(root, 'bin/npm'));
  await writeFile(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
}

const npmSetting = (name: string): string => output('npm', 'config', 'get', name);

/** Flags of a build that let the npm of the base read the packages, registry and authorities of this machine's npm. */
export async function npmVolumes(folder: string): Promise<readonly string[]> {
  const settings = path.join(folder, 'npmrc');
  const lines = [`registry=${npmSetting('registry')}`, 'prefer-offline=true', 'update-notifier=false'];
  await writeFile(settings, `${lines.join('\n')}\n`);
  const volumes = [`${npmSetting('cache')}:/root/.npm`, `${settings}:/root/.npmrc:ro`];
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  if (authorities !== undefined) {
    await appendFile(settings, 'cafile=/root/authorities.pem\n');
    volumes.push(`${authorities}:/root/authorities.pem:ro`);
  }
  return volumes.flatMap((volume) => ['--volume', volume]);
}
