import { randomUUID } from 'node:crypto';
import { access, constants, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

import { type Document, isScalar, isSeq, parse, parseDocument, type Scalar } from 'yaml';

import { isObject, objectOf, objectsOf, textOf } from '../kube/json.js';

/** Settings of an auth-provider by name: `id-token`, `refresh-token`, … */
export type AuthProviderConfig = Readonly<Record<string, unknown>>;

/** The `auth-provider` of a user in a kubeconfig, which kubectl and the tool that logs in write too. */
export class AuthProviderFile {
  readonly path: string;
  readonly #userName: string;

  constructor({ path, userName }: { readonly path: string; readonly userName: string }) {
    this.path = path;
    this.#userName = userName;
  }

  /** Undefined while the file is missing, half written or without the user. */
  async read(): Promise<AuthProviderConfig | undefined> {
    const text = await readFile(this.path, 'utf8').catch(() => '');
    return configIn(text, this.#userName);
  }

  /**
   * Replaces the values of settings that the file has, and leaves the rest of its text as it is. False when the
   * settings are not `expected`: the newer ones are another program's. Throws Error when the file cannot be written.
   */
  async replace(expected: AuthProviderConfig, values: Readonly<Record<string, string>>): Promise<boolean> {
    const path = await realpath(this.path);
    await access(path, constants.W_OK);
    const unlock = await lock(this.path);
    try {
      const text = await readFile(path, 'utf8');
      if (!isDeepStrictEqual(configIn(text, this.#userName), expected)) return false;
      await replaceFile(path, withValues(text, this.#userName, values));
      return true;
    } finally {
      await unlock();
    }
  }
}

function configIn(text: string, userName: string): AuthProviderConfig | undefined {
  try {
    const content: unknown = parse(text, { logLevel: 'error' }); // its warnings quote the text
    const user = objectsOf(objectOf(content)['users']).find(({ name }) => textOf(name) === userName);
    const config = objectOf(objectOf(user?.['user'])['auth-provider'])['config'];
    return isObject(config) ? config : undefined;
  } catch {
    return undefined;
  }
}

/** kubectl's own lock. https://pkg.go.dev/k8s.io/client-go/tools/clientcmd#ModifyConfig */
async function lock(path: string): Promise<() => Promise<void>> {
  const lockPath = `${path}.lock`;
  const handle = await open(lockPath, 'wx').catch((error: unknown) => {
    if (objectOf(error)['code'] !== 'EEXIST') throw error;
    throw new Error(`another program is writing it; delete ${lockPath} if there is none`);
  });
  await handle.close();
  return () => rm(lockPath, { force: true });
}

/** A reader sees the former text or the new one. Owner and permissions stay. */
async function replaceFile(path: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(path);
  const newPath = `${path}.${randomUUID()}`;
  const handle = await open(newPath, 'wx', 0o600);
  try {
    try {
      const own = await handle.stat();
      if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
      await handle.chmod(mode & 0o7777);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(newPath, path);
  } catch (error) {
    await rm(newPath, { force: true });
    throw error;
  }
}

function withValues(text: string, userName: string, values: Readonly<Record<string, string>>): string {
  const document = parseDocument(text, { logLevel: 'error' });
  const edits = Object.entries(values).flatMap(([setting, value]) => {
    const range = scalarOf(document, userName, setting)?.range;
    return range ? [{ start: range[0], end: range[1], value: JSON.stringify(value) }] : [];
  });
  return edits
    .sort((one, other) => other.start - one.start)
    .reduce((rest, { start, end, value }) => rest.slice(0, start) + value + rest.slice(end), text);
}

function scalarOf(document: Document, userName: string, setting: string): Scalar | undefined {
  const users = document.get('users');
  if (!isSeq(users)) return undefined;
  const index = users.items.findIndex((_user, at) => document.getIn(['users', at, 'name']) === userName);
  const node = document.getIn(['users', index, 'user', 'auth-provider', 'config', setting], true);
  const isInline = isScalar(node) && ['PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE'].includes(node.type ?? '');
  return isInline ? node : undefined;
}
