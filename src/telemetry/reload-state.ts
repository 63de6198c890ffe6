import type { Instant } from '../base/clock.js';

/** The settings, or the file of `--web.config.file`. */
export type ReloadedFile = 'settings' | 'web';

interface LoadedSettings {
  readonly hash: number;
  readonly at: Instant;
}

/** Which files could be loaded. */
export class ReloadState {
  readonly #failed = new Set<ReloadedFile>();
  #loaded: LoadedSettings | undefined;

  /** Undefined before any settings were loaded. */
  get loaded(): LoadedSettings | undefined {
    return this.#loaded;
  }

  /** Of all files; undefined before any settings were loaded. */
  get isLastSuccessful(): boolean | undefined {
    return this.#loaded === undefined && this.#failed.size === 0 ? undefined : this.#failed.size === 0;
  }

  settingsLoaded(loaded: LoadedSettings): void {
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
