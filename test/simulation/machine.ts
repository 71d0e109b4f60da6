import type { Clock } from '../../lib/clock';
import type { Moment, Timeline } from './timeline';

/** How an event enters a process: by its own timers, or from outside. */
export type Entrance = 'timer' | 'answer';

/**
 * A process: it can be paused, and it can die. Events that arrive during a pause are delivered after it;
 * a dead process gets none.
 */
export class Machine {
  #state: 'up' | 'frozen' | 'dead' = 'up';
  #backlog: { entrance: Entrance; fire: () => void }[] = [];
  readonly #timers = new Set<Moment>();
  readonly clock: Clock;

  /** `offsetMs`: the error of its clock. */
  constructor(
    private readonly timeline: Timeline,
    readonly name: string,
    offsetMs: number,
  ) {
    this.clock = {
      now: () => timeline.now + offsetMs,
      after: (delayMs, fire) => {
        let live = true;
        const moment = timeline.after(Math.max(0, delayMs), () => {
          this.#timers.delete(moment);
          this.enter('timer', () => void (live && fire()));
        });
        this.#timers.add(moment);
        return () => {
          live = false;
          moment.fire = null;
          this.#timers.delete(moment);
        };
      },
    };
  }

  get up(): boolean {
    return this.#state === 'up';
  }

  get dead(): boolean {
    return this.#state === 'dead';
  }

  get timers(): number {
    return this.#timers.size;
  }

  enter(entrance: Entrance, fire: () => void): void {
    if (this.#state === 'up') fire();
    else if (this.#state === 'frozen') this.#backlog.push({ entrance, fire });
  }

  freeze(): void {
    if (this.#state === 'up') this.#state = 'frozen';
  }

  /** Ends the pause. The order in which the waiting events are delivered is the system's choice. */
  thaw(first: Entrance): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'up';
    const backlog = this.#backlog;
    this.#backlog = [];
    const rank = (entrance: Entrance): number => (entrance === first ? 0 : 1);
    backlog.sort((a, b) => rank(a.entrance) - rank(b.entrance));
    for (const { entrance, fire } of backlog) this.timeline.at(this.timeline.now, () => this.enter(entrance, fire));
  }

  kill(): void {
    this.#state = 'dead';
    this.#backlog = [];
    for (const moment of this.#timers) moment.fire = null;
    this.#timers.clear();
  }
}
