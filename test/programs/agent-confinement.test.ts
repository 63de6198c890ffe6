import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod } from 'node:fs/promises';

import { expect, it } from 'vitest';

import { at, listAt } from '../support/manifests/documents.js';
import { canRender, renderOwn } from '../support/manifests/kustomize.js';
import { exporterOf, workloadsOf } from '../support/manifests/policies.js';
import { readmeBlocks } from '../support/manifests/readme.js';
import { isInstalled, temporaryFolder } from '../support/programs.js';

/** What a process tries that has the rights of the container: each line is an attempt and its error, or `works`. */
const attempts = `
import ctypes, os, sys
mount, libc = sys.argv[1], ctypes.CDLL(None, use_errno=True)
def tried(name, attempt):
    try: attempt(); print(name, 'works')
    except OSError as error: print(name, os.strerror(error.errno))
def checked(result):
    if result < 0: raise OSError(ctypes.get_errno(), '')
    return result
def by_handle():
    handle, mount_id = ctypes.create_string_buffer(136), ctypes.c_int()
    ctypes.memmove(handle, (128).to_bytes(4, sys.byteorder), 4)
    checked(libc.name_to_handle_at(-100, b'/etc', handle, ctypes.byref(mount_id), 0))
    folder = os.open('/tmp', os.O_RDONLY)
    os.listdir(checked(libc.open_by_handle_at(folder, handle, os.O_RDONLY)))
def read_all():
    files = [os.path.join(top, name) for top, _, names in os.walk(mount) for name in names if name in ('cgroup.procs', 'memory.stat')]
    if not [open(name).read() for name in files[:50]]: raise OSError(2, '')
tried('read cgroups', read_all)
tried('make a cgroup', lambda: os.mkdir(mount + '/exporter-test'))
inner = [entry.path for entry in os.scandir(mount) if entry.is_dir()]
tried('make an inner cgroup', lambda: os.mkdir(inner[0] + '/exporter-test'))
tried('open by handle', by_handle)
tried('root of process 1', lambda: os.listdir('/proc/1/root/'))
tried('environment of process 1', lambda: open('/proc/1/environ').read(1))
tried('become root', lambda: os.setuid(0))
`;

/** Runs it in a mount namespace with the cgroups of the machine mounted for reading alone, as this user. */
function tryAs(folder: string, setpriv: readonly string[]): Readonly<Record<string, string>> {
  const script = 'mount --rbind /sys/fs/cgroup "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const run = ['setpriv', ...setpriv, '--no-new-privs', python, '-c', attempts, folder];
  const mounted = ['--mount', '--propagation', 'private', 'sh', '-ec', script, folder, ...run];
  const { stdout, stderr, status } = spawnSync('unshare', mounted, { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const lines = stdout.trimEnd().split('\n');
  return Object.fromEntries(
    lines.map((line): readonly [string, string] => {
      const [, name = line, result = ''] = /^(.*?) (works|[A-Z].*)$/.exec(line) ?? [];
      return [name, result];
    }),
  );
}

const python = '/usr/bin/python3'; // one that every user may run
const programs = ['unshare', 'setpriv'];
const canTry =
  process.getuid?.() === 0 &&
  programs.every(isInstalled) &&
  existsSync(python) &&
  existsSync('/sys/fs/cgroup') &&
  canRender;

it.skipIf(!canTry)(
  'what the agent could do with the rights of its container is to read cgroups (needs root, unshare, setpriv, python3, kubectl)',
  async () => {
    await using folder = await temporaryFolder();
    const [, , , , agentPatches = ''] = readmeBlocks('Your image, namespace and settings', 'yaml');
    const objects = renderOwn({ text: `resources: [MANIFESTS/overlays/node-local]\n${agentPatches}` });
    const exporter = exporterOf(objects);
    const [pod] = workloadsOf(objects).map((workload) => workload.pod);
    const uid = String(at(pod, 'securityContext', 'runAsUser'));
    expect(at(exporter, 'securityContext', 'capabilities')).toEqual({ drop: ['ALL'] });
    expect(listAt(exporter, 'volumeMounts').filter(({ name }) => String(name).startsWith('host-'))).toEqual([
      { name: 'host-cgroup', mountPath: '/host/sys/fs/cgroup', readOnly: true },
    ]);
    await chmod(folder.path, 0o755);
    const confined = ['--reuid', uid, '--regid', uid, '--clear-groups', '--bounding-set=-all', '--inh-caps=-all'];
    expect(tryAs(folder.path, confined)).toEqual({
      'read cgroups': 'works',
      'make a cgroup': 'Read-only file system',
      // A mount below another keeps its own mode, as those of cgroup v1: they are root's.
      'make an inner cgroup': expect.stringMatching(/^(?:Permission denied|Read-only file system)$/) as string,
      'open by handle': 'Operation not permitted',
      'root of process 1': 'Permission denied',
      'environment of process 1': 'Permission denied',
      'become root': 'Operation not permitted',
    });
    // The attempts are real: root with one capability opens any file of the filesystem.
    const asRoot = tryAs(folder.path, ['--bounding-set=-all,+dac_read_search', '--inh-caps=-all']);
    expect(asRoot).toMatchObject({ 'open by handle': 'works', 'make a cgroup': 'Read-only file system' });
  },
);
