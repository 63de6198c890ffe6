import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../cases/eviction/', import.meta.url);

/** A form that evictions take in the status of pods, or a status that must not be taken for one. */
export interface MessageCase {
  readonly cause?: string;
  readonly what?: string;
  readonly reason: string | null;
  readonly examples: readonly string[];
}

export function messageCases(): {
  readonly evictions: readonly MessageCase[];
  readonly notForStorage: readonly MessageCase[];
} {
  return readJson('messages.json') as ReturnType<typeof messageCases>;
}

/** An event of the watch of a live cluster. */
interface RecordedEvent {
  /** The time of day at which it arrived, UTC. */
  readonly t: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

/** One pod, before, at and after its eviction. */
export interface RecordedEviction {
  readonly name: string;
  readonly podBefore: RecordedEvent;
  readonly podAtEviction: RecordedEvent;
  readonly podLast: RecordedEvent;
}

export function recordedEvictions(): readonly RecordedEviction[] {
  return readdirSync(new URL('recorded/', folder)).map((file) => ({
    ...(readJson(`recorded/${file}`) as Omit<RecordedEviction, 'name'>),
    name: file.replace('.json', ''),
  }));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
}
