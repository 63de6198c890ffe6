import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { eventually, freePort, temporaryFolder } from '../test/support/programs.js';
import { inhibitionsPath } from '../test/support/rules.js';

/** What a receiver is told about one alert. */
export interface Notification {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The program's name in Debian. */
const alertmanagerProgram = 'prometheus-alertmanager';

/** A real Alertmanager with the shipped inhibitions, which notifies once for each alert that fires or is resolved. */
export class AlertmanagerServer implements AsyncDisposable {
  /** Host and port. */
  readonly target: string;
  readonly #stop: () => Promise<void>;

  private constructor(target: string, stop: () => Promise<void>) {
    this.target = target;
    this.#stop = stop;
  }

  static async start(onNotification: (notification: Notification) => void): Promise<AlertmanagerServer> {
    const folder = await temporaryFolder();
    const receiver = createServer((request, response) => {
      void text(request).then((body) => {
        for (const alert of (JSON.parse(body) as { alerts: Notification[] }).alerts) onNotification(alert);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const address = receiver.address();
    if (address === null || typeof address === 'string') throw new Error('the receiver is not listening');
    const file = path.join(folder.path, 'alertmanager.yml');
    await writeFile(file, `${await readFile(inhibitionsPath, 'utf8')}\n${routeTo(address.port)}`);
    const target = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      alertmanagerProgram,
      [
        `--config.file=${file}`,
        `--storage.path=${path.join(folder.path, 'data')}`,
        `--web.listen-address=${target}`,
        '--cluster.listen-address=',
      ],
      { stdio: 'ignore' },
    );
    const ended = once(child, 'exit');
    const server = new AlertmanagerServer(target, async () => {
      child.kill('SIGTERM');
      await ended;
      receiver.close();
      receiver.closeAllConnections();
      await folder[Symbol.asyncDispose]();
    });
    await eventually('Alertmanager to be ready', async () =>
      (await fetch(`http://${target}/-/ready`)).ok ? true : undefined,
    );
    return server;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

/** Every alert is a group of its own: one notification when it fires, one when it is resolved. */
const routeTo = (port: number): string => `
route: {receiver: test, group_by: ['...'], group_wait: 1s, group_interval: 1s, repeat_interval: 1d}
receivers: [{name: test, webhook_configs: [{url: "http://127.0.0.1:${port}/", send_resolved: true}]}]
`;
