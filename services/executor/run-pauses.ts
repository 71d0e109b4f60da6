import type { PauseView } from '../../contracts/executions/pause-view';
import type { Entry } from '../../runtime/core/entries/entry';

/** Older pauses of a run with more are left out of its timeline. */
const MAX_SHOWN = 100;

/** A period in which a run was paused. `to`: null while it is. Times in epoch milliseconds. */
interface Pause {
  readonly from: number;
  to: number | null;
  readonly by: string | null;
  readonly reason: string | null;
}

/** The pauses of a run: a fold over its entries, in their order. */
export class RunPauses {
  readonly #pauses: Pause[] = [];

  add(entry: Entry): void {
    if (!entry.kind.startsWith('run.')) return;
    const last = this.#pauses.at(-1);
    if (last?.to === null) last.to = entry.at;
    if (entry.kind === 'run.paused')
      this.#pauses.push({ from: entry.at, to: null, by: entry.by, reason: entry.reason });
  }

  get views(): PauseView[] {
    return this.#pauses.slice(-MAX_SHOWN).map(({ from, to, by, reason }) => ({
      started_at: new Date(from).toISOString(),
      ended_at: to === null ? null : new Date(to).toISOString(),
      by,
      reason,
    }));
  }
}
