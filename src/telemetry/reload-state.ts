import type { Instant } from '../base/clock.js';

/** The settings, or the file of `--web.config.file`. */
export type ReloadedFile = 'settings' | 'web';

interface LastLoad {
  readonly hash: number;
  readonly at: Instant;
}

/** Which files could be loaded. */
export class ReloadState {
  readonly #failed = new Set<ReloadedFile>();
  #loaded: LastLoad | undefined;

  /** Undefined before any settings were loaded. */
  get loaded(): LastLoad | undefined {
    return this.#loaded;
  }

  /** Of all files; undefined before any settings were loaded. */
  get isLastSuccessful(): boolean | undefined {
    return this.#loaded === undefined && this.#failed.size === 0 ? undefined : this.#failed.size === 0;
  }

  settingsLoaded(loaded: LastLoad): void {
    this.#loaded = loaded;
    this.#failed.delete('settings');
  }

  webLoaded(): void {
    this.#failed.delete('web');
  }

  failed(file: ReloadedFile): void {
    this.#failed.add(file);
  }
}
