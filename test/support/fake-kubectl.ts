import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { PrintedPod } from '../../src/commands/explain/directories/pod-directories.js';
import { commandLine } from '../../src/lib/base/text.js';

/** What kubectl says of an image without a shell: the reason stands at its end. */
const noShell = `error: Internal error occurred: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "${'0123abcd'.repeat(8)}": OCI runtime exec failed: exec failed: unable to start container process: exec: "sh": executable file not found in $PATH`;

/** What runs each command in a container, by the container's name; without one, its image has no shell. */
export type Launchers = Readonly<Record<string, readonly string[]>>;

/** Creates a kubectl that has one pod, with `get` and `exec`, which writes what it is asked to `asked`. Returns its folder, for a PATH. */
export async function fakeKubectl(folder: string, pod: PrintedPod, launchers: Launchers): Promise<string> {
  const bin = path.join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, words] of Object.entries(launchers)) {
    await writeFile(path.join(bin, `run-${name}`), `${commandLine(words)} "$@"\n`);
  }
  await writeFile(path.join(bin, 'pod.json'), JSON.stringify(pod));
  const script = `#!/bin/sh
folder=\${0%/*}
printf '%s\\n' "$*" >>"$folder/asked"
case " $* " in *" get pod/${pod.metadata.name} "*) cat "$folder/pod.json"; exit ;; *" get "*) echo 'Error from server (NotFound): pods not found' >&2; exit 1 ;; esac
while [ "$1" != -c ]; do shift; done
[ -f "$folder/run-$2" ] || { printf '%s\\n' ${commandLine([noShell])} >&2; exit 1; }
program=$folder/run-$2
shift 3
sh "$program" "$@" || { code=$?; echo "command terminated with exit code $code" >&2; exit $code; }
`;
  await writeFile(path.join(bin, 'kubectl'), script, { mode: 0o755 });
  return bin;
}
