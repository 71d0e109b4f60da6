import type { Json, JsonObject } from '../../../lib/json';
import type { App } from '../../../services/app';
import { schedulerService } from '../../../services/scheduler/scheduler.service';
import type { PollView, ScheduleView, TriggerView } from '../../../contracts/scheduler';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import {
  type Actor,
  openTestDatabase,
  type ServiceFactory,
  startApp,
  type TestApp,
  type TestDatabase,
} from '../../support/app';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';
import { FakeAuth, FakeExecutor } from '../workflows/fakes';

const isSchedule = (view: TriggerView): view is ScheduleView => 'next_runs' in view;

/** Those that were killed: they hold up no test, and are gone when all are over. */
const dying: Promise<void>[] = [];
afterAll(async () => {
  await Promise.all(dying);
}, 60_000);

/** Workflows on one node, executors and schedulers on others. Slots go by a clock that the test moves. */
export class Site {
  readonly auth = new FakeAuth();
  readonly executor = new FakeExecutor();
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1));
  readonly schedulers: TestApp[] = [];
  readonly #others: TestApp[] = [];
  readonly #namespace = `site-${process.pid}-${performance.now()}`;

  private constructor(
    private readonly database: TestDatabase,
    readonly ann: Actor,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** All on one node, with further services where a test needs them. */
  static async open({ env = {}, more = [] as ServiceFactory[] } = {}): Promise<Site> {
    const site = await Site.#empty(env);
    const scheduler = (app: App) => schedulerService(app, site.clock);
    await site.#node(site.auth.service, secretsService, workflowsService, site.executor.service, scheduler, ...more);
    return site;
  }

  static async openCluster({ schedulers = 1, executors = 1 } = {}): Promise<Site> {
    const site = await Site.#empty();
    await site.#node(site.auth.service, secretsService, workflowsService);
    for (let n = 0; n < executors; n += 1) await site.#node(site.executor.service);
    for (let n = 0; n < schedulers; n += 1) await site.addScheduler();
    return site;
  }

  static async #empty(env: Readonly<Record<string, string>> = {}): Promise<Site> {
    return new Site(await openTestDatabase(), { tenant_id: 'ann', user_id: 'u1', role: 'owner' }, env);
  }

  get hub(): TestApp {
    return this.#others[0] as TestApp;
  }

  get db() {
    return this.hub.app.db;
  }

  async addScheduler(): Promise<void> {
    const scheduler = (app: App) => schedulerService(app, this.clock);
    const { database, ...options } = this.#options();
    const node = await startApp({ ...options, database, services: [scheduler] });
    this.schedulers.push(node);
    await this.hub.broker.waitForServices('scheduler');
  }

  /** Another node that has the workflows. */
  addWorkflows(): Promise<void> {
    return this.#node(workflowsService);
  }

  /** As a crash leaves it: nothing more of what it does reaches the database, whatever it is about. */
  async kill(): Promise<void> {
    const scheduler = this.schedulers.shift() as TestApp;
    await scheduler.app.db.close(true);
    // A scheduler with work under way takes its time to notice that; others go on.
    dying.push(scheduler.close());
  }

  async workflow(config: JsonObject, { actor = this.ann, step = {} as JsonObject } = {}): Promise<string> {
    const triggers: Json[] = [{ type: 'schedule', config }];
    const steps = [{ id: 's', type: 'set', config: step }];
    return (await this.hub.call('workflows.create', { name: 'Timed', dsl: { id: 'flow', triggers, steps } }, actor)).id;
  }

  async schedule(id: string, actor = this.ann): Promise<ScheduleView> {
    const { schedule } = await this.hub.call('workflows.schedule', { id }, actor);
    if (schedule === null || !isSchedule(schedule)) throw new Error('It has no schedule');
    return schedule;
  }

  /** A workflow that begins by a source. */
  async watching(type: string, config: JsonObject, more: JsonObject = {}): Promise<string> {
    const dsl = { id: 'flow', trigger: { type, config }, steps: [{ id: 's', type: 'set', config: {} }], ...more };
    return (await this.hub.call('workflows.create', { name: 'Watching', dsl }, this.ann)).id;
  }

  async source(id: string): Promise<PollView> {
    const { schedule } = await this.hub.call('workflows.schedule', { id }, this.ann);
    if (schedule === null || isSchedule(schedule)) throw new Error('It has no source');
    return schedule;
  }

  /** What runs of the workflow were started with, in the order of their starts. */
  triggersOf(id: string): JsonObject[] {
    const runs = [...this.executor.runs.values()].filter(({ params }) => params.workflow_id === id);
    return runs.map(({ params }) => params.trigger);
  }

  /** For which slots runs of the workflow were started, in their order. */
  slotsOf(id: string): string[] {
    const runs = [...this.executor.runs.values()].filter(({ params }) => params.workflow_id === id);
    return runs.map(({ params }) => String(params.trigger.scheduled_for)).sort();
  }

  /** Moves time, and waits until everything that is due by then has been decided. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.quiet();
  }

  /** Nothing is due, and no scheduler has a claim. */
  async quiet(): Promise<void> {
    const schedules = this.db.collection('schedules');
    await until('everything that is due is decided', async () => {
      const due = { $or: [{ wake_at: { $lte: new Date(this.clock.now()) } }, { holder: { $ne: null } }] };
      if ((await schedules.countDocuments(due)) === 0) return true;
      // Polls go by this clock; they come in any case.
      this.clock.advance(100);
      return false;
    });
  }

  async close(): Promise<void> {
    this.executor.hanging.clear();
    for (const node of [...this.schedulers, ...this.#others].reverse()) await node.close();
    await this.database.close();
  }

  async #node(...services: Parameters<typeof startApp>[0]['services']): Promise<void> {
    this.#others.push(await startApp({ ...this.#options(), services }));
  }

  #options() {
    const env = { EGRESS_ALLOW: '127.0.0.1', ...this.env };
    return { database: this.database, transporter: 'Fake', namespace: this.#namespace, env };
  }
}
