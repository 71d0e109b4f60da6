import type { JsonObject } from '../../lib/json';
import type { Mail } from '../../runtime/record/state';
import { CANCEL } from '../../runtime/rules/waits';
import { type Cluster, freshRun } from './cluster';
import { flowNamed } from './flows';
import type { Machine } from './machine';
import type { Command } from './plan';
import type { Timeline } from './timeline';
import type { Watch } from './watch';

/** A caller who got no answer asks again after this, elsewhere. */
const ASK_AGAIN_MS = 1_500;
/** And gives up after so many times. */
const TRIES = 4;

/** Those who start runs and talk to them. They repeat what was not answered, with the same id. */
export class People {
  /** Starts that were not answered yet, and how many may still be repeated. */
  readonly #asked = new Set<{ readonly machine: Machine }>();
  #repeats = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly timeline: Timeline,
    private readonly watch: Watch,
  ) {}

  /** True while a start may still come to something. */
  get waiting(): boolean {
    return this.#repeats > 0 || [...this.#asked].some(({ machine }) => !machine.dead);
  }

  /** Does it at its time. */
  plan(command: Command): void {
    this.timeline.after(command.at, () => {
      switch (command.kind) {
        case 'start':
          this.#start(command, command.machine, command.lazy, 1);
          if (command.again !== null) this.#start(command, command.again, false, 1);
          return;
        case 'signal':
          return this.send(command.run, { id: command.id, name: command.name, data: { v: command.v } });
        case 'decide':
          return this.decide(command.run, `approve-${command.step}`, command.approved);
        case 'cancel':
          return this.send(command.run, { id: CANCEL, name: CANCEL, data: {} });
      }
    });
  }

  /** Decides what a run asks under that name. */
  decide(run: string, name: string, approved: boolean): void {
    this.send(run, { id: name, name, data: { approved } });
  }

  send(run: string, message: Pick<Mail, 'id' | 'name'> & { data: JsonObject }, tries = 1): void {
    const again = (): void =>
      void (tries < TRIES && this.timeline.after(ASK_AGAIN_MS, () => this.send(run, message, tries + 1)));
    // Services look first whose run it is, and refuse what is for nobody's.
    if (!this.cluster.db.executions.has(run)) return again();
    const mail: Mail = { ...message, by: null, at: this.timeline.now };
    this.cluster.post(run, mail).then((posted) => {
      if (posted.kind === 'posted') this.watch.postAnswered(run, mail);
    }, again);
  }

  #start(command: Extract<Command, { kind: 'start' }>, index: number, lazy: boolean, tries: number): void {
    const { machine, host } = this.cluster.places[index] as Cluster['places'][number];
    const flow = flowNamed(command.flow);
    let answered = false;
    this.#repeats += 1;
    machine.enter('answer', () => {
      const now = machine.clock.now();
      const fresh = freshRun(command.run, flow, now, {
        trigger: { n: command.n },
        tenantId: command.tenant,
        concurrency: command.group,
      });
      const asked = { machine };
      this.#asked.add(asked);
      host
        .begin(fresh, flow.plan, lazy)
        .then(
          () => {
            answered = true;
            this.watch.startAnswered(command.run);
          },
          () => {},
        )
        .finally(() => this.#asked.delete(asked));
    });
    this.timeline.after(ASK_AGAIN_MS, () => {
      this.#repeats -= 1;
      if (answered || tries >= TRIES) return;
      this.#start(command, (index + 1) % this.cluster.places.length, false, tries + 1);
    });
  }
}
