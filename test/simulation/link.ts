import type { Machine } from './machine';
import type { Timeline } from './timeline';
import type { Trace } from './trace';

/** How one request to the database is delivered and answered. */
export interface Fate {
  /** Milliseconds until it takes effect, if it `reaches` the database. */
  readonly outMs: number;
  readonly reaches: boolean;
  /** Whether it takes effect even though its sender has died before. */
  readonly outlives: boolean;
  /** Milliseconds from then until the answer, or, if there is none, until the driver gives up. */
  readonly backMs: number;
  readonly answers: boolean;
}

const SLOW_MS = 50;

/** What a link needs from its environment. */
export interface LinkDeps {
  readonly timeline: Timeline;
  readonly trace: Trace;
  readonly fate: (verb: string, key: string) => Fate;
  /** Called around each request: the moment for faults that wait for one. */
  readonly passes: (verb: string, when: 'sent' | 'done') => void;
  /** Answers that are given before the request takes effect. For mutants only. */
  readonly early: (verb: string) => unknown;
}

/**
 * A process's connection to the database. A request takes effect at one moment and is answered at another; either may not
 * happen. A request takes effect even when its sender has died or paused since.
 */
export class Link {
  /** Slow requests in flight, or whose answer is. */
  #slow = 0;

  constructor(
    private readonly machine: Machine,
    private readonly deps: LinkDeps,
  ) {}

  get slow(): number {
    return this.#slow;
  }

  call<T>(verb: string, key: string, act: () => Promise<T>): Promise<T> {
    const { timeline, trace, fate, passes, early } = this.deps;
    const { outMs, reaches, outlives, backMs, answers } = fate(verb, key);
    const say = (what: string): void => trace.add(this.machine.name, `${verb} ${key} ${what}`);
    const slow = outMs + backMs > SLOW_MS ? 1 : 0;
    this.#slow += slow;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => {
        timeline.after(backMs, () => {
          this.#slow -= slow;
          this.machine.enter('answer', settle);
        });
      };
      const answered = early(verb);
      if (answered !== undefined) resolve(answered as T);
      timeline.after(outMs, () => {
        if (this.machine.dead && !outlives) {
          this.#slow -= slow;
          return say('died with its sender');
        }
        say(reaches ? 'takes effect' : 'is lost');
        const noAnswer = (): void => reject(new Error(`${verb}: no answer`));
        if (!reaches) return answer(noAnswer);
        act().then(
          (result) => {
            passes(verb, 'done');
            answer(answers ? () => resolve(result) : noAnswer);
          },
          (fault: unknown) => answer(() => reject(fault)),
        );
      });
      passes(verb, 'sent');
    });
  }
}
