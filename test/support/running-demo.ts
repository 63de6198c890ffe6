/** The demo in this process, and the commands that it prints. */
import { setTimeout as delay } from 'node:timers/promises';

import { vi } from 'vitest';

import { runArguments } from '../../src/commands/command-line.js';
import { demo } from '../../src/commands/demo.js';
import type { SimulationFlags } from '../../src/commands/simulate.js';
import type { SettingFlags } from '../../src/config/load.js';
import { aCommandContext } from './command-context.js';
import { send } from './http-get.js';
import { ManualClock } from './manual-clock.js';

interface RunningDemo extends AsyncDisposable {
  readonly out: () => string;
  readonly error: () => string;
  /** What its first line of that label shows. */
  readonly shown: (label: string) => string;
  readonly clock: ManualClock;
  readonly stop: () => Promise<void>;
}

export async function startDemo(
  settings: Partial<SettingFlags> = {},
  simulation: Partial<SimulationFlags> = {},
): Promise<RunningDemo> {
  const clock = new ManualClock();
  const command = aCommandContext({ clock, environment: { PATH: process.env['PATH'] } });
  const values = { 'web.listen-address': ['127.0.0.1:0'], ...settings.values };
  const running = demo(
    {
      settings: { configFile: undefined, ...settings, values },
      simulation: { scenario: 'mixed', seed: '1', ...simulation },
    },
    command.context,
  );
  const stop = async (): Promise<void> => {
    command.stop();
    await running;
  };
  const isListening = (): boolean => command.out().includes('Ctrl-C');
  const listening = vi.waitUntil(isListening, { interval: 5, timeout: 60_000 });
  await Promise.race([listening, running]);
  const shown = (label: string): string =>
    new RegExp(`^${label} +(\\S.*)$`, 'm').exec(command.out())?.[1] ?? `no ${label}`;
  return { out: command.out, error: command.error, shown, clock, stop, [Symbol.asyncDispose]: stop };
}

/** The arguments of the printed commands. */
export function printedCommands(out: string): readonly (readonly string[])[] {
  return Array.from(out.matchAll(/^ {2}ephemeral-storage-exporter (.+)$/gm), ([, words = '']) => words.split(' '));
}

export async function run(args: readonly string[], { clock }: RunningDemo) {
  const { context, out, error } = aCommandContext({ clock });
  const running = runArguments(args, context);
  const status = await passTimeUntil(running, clock);
  return { command: args.slice(0, -2).join(' '), status, out: out(), error: error() };
}

/** Lets a command wait for a kubelet that hangs, which takes its timeout. */
async function passTimeUntil<T>(running: Promise<T>, clock: ManualClock): Promise<T> {
  const ended = new AbortController();
  const passing = (async () => {
    const isOver = (): boolean => ended.signal.aborted;
    for (let waitedMs = 0; !isOver(); waitedMs += 10) {
      await delay(10);
      if (waitedMs >= 500 && !isOver()) await clock.advance(100);
    }
  })();
  const result = await running.finally(() => {
    ended.abort();
  });
  await passing;
  return result;
}

export const readJson = async (running: RunningDemo, file: string): Promise<Record<string, unknown>> => {
  const port = Number(new URL(running.shown('exporter')).port);
  return JSON.parse((await send({ port, path: file })).text) as Record<string, unknown>;
};
