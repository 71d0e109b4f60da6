import type { JsonObject } from '../../lib/json';
import { DEFAULT_PRIORITY, rankOf } from '../../runtime/core/decide/priority';
import type { Message } from '../../runtime/core/state/state';
import { CANCEL } from '../../runtime/core/decide/waits';
import type { Execution, PauseRequest } from '../../runtime/core/model';
import type { Host } from '../../runtime/worker/host';
import { type Cluster, freshRun } from './cluster';
import { flowNamed } from './flows';
import type { Machine } from './machine';
import type { Command } from './plan';
import type { Timeline } from './timeline';
import type { Watch } from './watch';

/** A caller without an answer retries after this time, at another machine. */
const ASK_AGAIN_MS = 1_500;
/** The maximum number of tries. */
const TRIES = 4;

/** The clients, who start runs and send messages. They retry unanswered requests with the same id. */
export class People {
  /** Starts without an answer yet, and the number of those that will be repeated. */
  readonly #asked = new Set<{ readonly machine: Machine }>();
  #repeats = 0;

  constructor(
    private readonly cluster: Cluster,
    private readonly timeline: Timeline,
    private readonly watch: Watch,
  ) {}

  /** True while a start may still be stored. */
  get waiting(): boolean {
    return this.#repeats > 0 || [...this.#asked].some(({ machine }) => !machine.dead);
  }

  /** Schedules the command. */
  plan(command: Command): void {
    this.timeline.after(command.at, () => {
      switch (command.kind) {
        case 'start':
          this.#start(command, command.machine, command.storeWithinMs, 1);
          if (command.again !== null) this.#start(command, command.again, 0, 1);
          return;
        case 'signal':
          return this.send(command.run, { id: command.id, name: command.name, data: { v: command.v } });
        case 'decide':
          return this.decide(command.run, `approve-${command.step}`, command.approved);
        case 'cancel':
          return this.send(command.run, { id: CANCEL, name: CANCEL, data: {} });
        case 'pause_run':
        case 'resume_run':
          return void this.setPaused(command.run, command.kind === 'pause_run' ? 'pause' : 'resume');
      }
    });
  }

  /** Sends the decision for the approval of that name. */
  decide(run: string, name: string, approved: boolean): void {
    this.send(run, { id: name, name, data: { approved } });
  }

  /** The run that a start belongs to. */
  #runOf(start: string): string {
    return this.cluster.db.startMarks.get(start)?.run ?? start;
  }

  send(start: string, message: Pick<Message, 'id' | 'name'> & { data: JsonObject }, tries = 1): void {
    const run = this.#runOf(start);
    const again = (): void =>
      void (tries < TRIES && this.timeline.after(ASK_AGAIN_MS, () => this.send(start, message, tries + 1)));
    // Services look up the run first, and refuse messages to a run that does not exist.
    if (!this.cluster.db.executions.has(run)) return again();
    const mail: Message = { ...message, by: null, at: this.timeline.now };
    this.cluster.post(run, mail).then((posted) => {
      if (posted.kind === 'posted') this.watch.postAnswered(run, mail);
    }, again);
  }

  /** Pauses or resumes a run as a service does: nothing is sent when the run is as requested, or ends. */
  async setPaused(start: string, kind: PauseRequest['kind'], tries = 1): Promise<void> {
    const run = this.#runOf(start);
    const again = (): void =>
      void (tries < TRIES && this.timeline.after(ASK_AGAIN_MS, () => void this.setPaused(start, kind, tries + 1)));
    try {
      const found = await this.cluster.front.runs.load(run);
      if (found === null) return again();
      const { status, pause, cancelling, cleanupDeadline } = found;
      if (status !== 'running' || cancelling || cleanupDeadline !== null) return;
      if ((pause?.kind === 'pause') === (kind === 'pause')) return;
      const request = { kind, rev: (pause?.rev ?? 0) + 1, at: this.timeline.now, by: null, reason: null };
      const posted = await this.cluster.requestPause(run, request);
      if (posted.kind === 'refused') return again();
      this.watch.pauseAnswered(run, request);
    } catch {
      again();
    }
  }

  /** The run that the start belongs to. */
  async #ask(
    host: Host,
    fresh: Execution,
    { gathering, tenant, flow, again }: Extract<Command, { kind: 'start' }>,
    storeWithinMs: number,
  ): Promise<string> {
    if (gathering === null) {
      await host.begin(fresh, flowNamed(flow).plan, storeWithinMs);
      return fresh.id;
    }
    const rule = { ...gathering, slot: `slot ${tenant}` };
    this.watch.gatheringAsked(fresh.id, rule);
    const newId = (): string => this.cluster.newId();
    return (await host.gather({ fresh, rule, digest: null, repeatable: again !== null, newId })).id;
  }

  #start(command: Extract<Command, { kind: 'start' }>, index: number, storeWithinMs: number, tries: number): void {
    const { machine, host } = this.cluster.places[index] as Cluster['places'][number];
    const flow = flowNamed(command.flow);
    let answered = false;
    this.#repeats += 1;
    machine.enter('answer', () => {
      const now = machine.clock.now();
      const fresh = freshRun(command.run, flow, now, {
        trigger: { n: command.n, start: command.run },
        tenantId: command.tenant,
        concurrency: command.group,
        ...(command.throttle === null ? {} : { throttle: { ...command.throttle, passed: false } }),
        ...(command.priority === DEFAULT_PRIORITY ? {} : { rank: rankOf(now, command.priority) }),
      });
      this.watch.startAsked(fresh);
      const asked = { machine };
      this.#asked.add(asked);
      this.#ask(host, fresh, command, storeWithinMs)
        .then(
          (run) => {
            answered = true;
            if (run === command.run) this.watch.startAnswered(run);
            else this.watch.gatheredAnswered(command.run, run);
          },
          () => {},
        )
        .finally(() => this.#asked.delete(asked));
    });
    this.timeline.after(ASK_AGAIN_MS, () => {
      this.#repeats -= 1;
      if (answered || tries >= TRIES) return;
      this.#start(command, (index + 1) % this.cluster.places.length, 0, tries + 1);
    });
  }
}
