import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type * as z from 'zod/mini';

import { messageOf } from '../../lib/base/errors.js';
import { ConfigError, describeValue, pathText, type SettingFault, valueAt } from '../faults.js';
import { readConfigFile, yamlFaults } from '../file-layer.js';
import { readYaml, type YamlText } from '../yaml-text.js';
import type { WebConfig } from './web-config.js';
import { webFileSchema } from './web-file-schema.js';
import { type FileContent, loadTls, type TlsSources } from './web-tls.js';

/** Begins the line in which {@link readWebFile} adds the named files, to YAML a comment. */
const filesMark = '\n# ';

/** The content of the file and of the files that it names, as one text that {@link loadWebFile} takes. Throws UserError. */
export async function readWebFile(file: string): Promise<string> {
  const text = await readConfigFile(file);
  const tls = webFileSchema.safeParse(readWebYaml(text).value).data?.tls_server_config ?? {};
  const names = [tls.cert_file, tls.key_file, tls.client_ca_file].filter((name) => name !== undefined);
  const folder = path.dirname(file);
  const files = await Promise.all(
    names.map(async (name) => [name, await contentOf(path.resolve(folder, name))] as const),
  );
  return `${text}${filesMark}${JSON.stringify(Object.fromEntries(files) satisfies TlsSources['files'])}`;
}

async function contentOf(file: string): Promise<FileContent> {
  try {
    return { text: await readFile(file, 'utf8') };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/**
 * Throws ConfigError with all faults for what `promtool check web-config` refuses, and for what cannot serve. No message
 * has a part of a key or a hash. `file`: as messages name it.
 */
export function loadWebFile(file: string, content: string): WebConfig {
  const end = content.lastIndexOf(filesMark);
  const files = JSON.parse(content.slice(end + filesMark.length)) as TlsSources['files'];
  const yaml = readWebYaml(content.slice(0, end));
  const sourceOf = (path: readonly PropertyKey[]): string => `${file}:${yaml.positionOf(path).line}`;
  const parsed = webFileSchema.safeParse(yaml.value);
  const faults = [
    ...yamlFaults(file, yaml),
    ...(parsed.error?.issues ?? []).flatMap((issue) => faultsOf(issue, yaml.value, sourceOf)),
  ];
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults);
  const { tls_server_config: tls, http_server_config: http, basic_auth_users: users } = parsed.data ?? {};
  return {
    tls: tls && loadTls(tls, { files, sourceOf: (key) => sourceOf(['tls_server_config', key]) }),
    headers: new Map(
      Object.entries(http?.headers ?? {}).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, headerValue(value)]],
      ),
    ),
    users: new Map(Object.entries(users ?? {})),
  };
}

/** Without types: a user may be named `no`. */
function readWebYaml(text: string): YamlText {
  return readYaml(text, { schema: 'failsafe', merge: true });
}

function faultsOf(
  issue: z.core.$ZodIssue,
  value: unknown,
  sourceOf: (path: readonly PropertyKey[]) => string,
): SettingFault[] {
  const hint = `allowed: ${issue.message}`;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { path: pathText(path), problem: 'unknown key', source: sourceOf(path), hint };
    });
  }
  const isSecret = issue.path.length === 0 || issue.path[0] === 'basic_auth_users';
  const problem = isSecret ? 'found something else' : `found ${describeValue(valueAt(value, issue.path))}`;
  return [{ path: pathText(issue.path), problem, source: sourceOf(issue.path), hint }];
}

/** As Go sends it: in UTF-8, on one line. */
function headerValue(text: string): string {
  return Buffer.from(text.replaceAll(/\p{Cc}/gu, ' ').trim()).toString('latin1');
}
