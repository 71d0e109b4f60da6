import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { Blobs } from './blobs';
import type { FileModel } from './models';

/** Longer than any file takes to come in. */
const OPEN_MS = 3_600_000;
const EVERY_MS = 600_000;
const BATCH = 100;

/** Settles contents that were left open by somebody who has died: those that a file holds stay, all others go. */
export class Sweep {
  #cancelTimer: (() => void) | null = null;
  #sweeping: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly files: FileModel,
    private readonly blobs: Blobs,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {}

  start(): void {
    this.#sweepLater();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#sweeping;
  }

  /** Answers how many contents were settled. Any number of processes may sweep at once. */
  async run(): Promise<number> {
    const before = new Date(this.clock.now() - OPEN_MS);
    const open = await this.blobs.open(before, BATCH);
    for (const { _id, metadata } of open) {
      if (metadata.state === 'doomed') await this.blobs.clear([_id]);
      else if ((await this.files.exists({ blob_id: _id }).exec()) !== null) await this.blobs.keep(_id, metadata.since);
      else if (await this.blobs.doom(_id, metadata.since)) await this.blobs.clear([_id]);
    }
    return open.length;
  }

  #sweepLater(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.clock.after(EVERY_MS, () => {
      this.#sweeping = this.#sweepAll().then(() => this.#sweepLater());
    });
  }

  async #sweepAll(): Promise<void> {
    try {
      while (!this.#stopped && (await this.run()) === BATCH);
    } catch (fault) {
      this.warn(`Contents of files that nobody needs are not removed yet: ${errorMessage(fault)}`);
    }
  }
}
