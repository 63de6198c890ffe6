import { type Command, Option } from 'commander';

import type { CredentialFlags } from './command-credentials.js';

/** Takes the settings file. */
export function withConfigFile(command: Command): Command {
  return command.addOption(new Option('--config.file <file>', 'settings file (YAML)'));
}

export function configFileOf(command: Command): string | undefined {
  return command.opts<{ 'config.file'?: string }>()['config.file'];
}

/** Takes what names the credentials. */
export function withCredentials(command: Command): Command {
  return command
    .option(
      '--kubeconfig <file>',
      'kubeconfig; else $KUBECONFIG, else ~/.kube/config, else the service account of the pod',
    )
    .option('--context <name>', 'context of the kubeconfig instead of its current one');
}

export function credentialFlags(command: Command): CredentialFlags {
  const { kubeconfig, context } = command.opts<{ kubeconfig?: string; context?: string }>();
  return { kubeconfig, context };
}
