import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import type { Blobs } from './blobs';
import type { FileModel } from './models';

/** Longer than the upload of any file takes. */
const OPEN_MS = 3_600_000;
const EVERY_MS = 600_000;
const BATCH = 100;

/** Resolves contents that a crashed process left open: those that a file references stay, all others are removed. */
export class Sweep {
  readonly #task: PeriodicTask;

  constructor(
    private readonly files: FileModel,
    private readonly blobs: Blobs,
    private readonly clock: Clock,
    warn: (message: string) => void,
  ) {
    this.#task = new PeriodicTask({
      clock,
      intervalMs: EVERY_MS,
      run: async () => {
        while (!this.#task.isStopped && (await this.run()) === BATCH);
      },
      onError: (error) => warn(`Removal of unused file contents failed: ${errorMessage(error)}`),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Resolves a batch and returns its size. Processes may sweep concurrently. */
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
}
