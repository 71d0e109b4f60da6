import type { ActionContext, Handlers } from '../../mixins/service';
import { auditedBy } from '../../mixins/audit';
import type { StartRun } from '../../mixins/start-run';
import { pageOf } from '../../lib/page';
import type { JsonObject } from '../../lib/json';
import type { ScheduleView } from '../../contracts/scheduler';
import type { App } from '../app';
import { backfill, fireNow } from './manual';
import { noSchedule, type Schedule, type ScheduleStore } from './store';
import { oneScheduleView, scheduleRows } from './view';

interface ScheduleActionDeps {
  readonly app: App;
  readonly store: ScheduleStore;
  readonly starts: StartRun;
  readonly now: () => number;
}

type Ctx = ActionContext<'scheduler.pause' | 'scheduler.resume' | 'scheduler.fire' | 'scheduler.backfill'>;

/** The actions of people on schedules: the list, pauses, and starts outside of fire times. */
export function scheduleActions({
  app,
  store,
  starts,
  now,
}: ScheduleActionDeps): Pick<Handlers<'scheduler'>, 'list' | 'pause' | 'resume' | 'fire' | 'backfill'> {
  return {
    async list({ params, tenantId, call, folders }) {
      const page = pageOf(params);
      const { sort = 'workflow', cursor, paused, workflow_id, next_runs = 5 } = params;
      const visible = await folders.visible('workflow_id');
      const found = await store.list(tenantId, { ...page, sort, cursor, paused, workflow_id, visible });
      const ids = [...new Set(found.data.map(({ record }) => record.workflow_id))];
      const snapshots = await Promise.all(ids.map((id) => starts.find(call, id)));
      const workflows = new Map(snapshots.flatMap((each) => (each === null ? [] : [[each.id, each] as const])));
      // A workflow that was deleted a moment ago still has its schedule.
      const live = found.data.filter(({ record }) => workflows.has(record.workflow_id));
      const data = await scheduleRows(store, call, live, { workflows, nextRuns: next_runs });
      return { data, ...page, next_cursor: found.next_cursor };
    },
    pause: (ctx) => hold(ctx, true),
    resume: (ctx) => hold(ctx, false),
    async fire(ctx) {
      const schedule = await scheduleOf(ctx);
      return audited(ctx, 'schedule.fire', schedule, {}, () =>
        fireNow({ app, call: ctx.call, starts, store, now }, schedule),
      );
    },
    async backfill(ctx) {
      const { params } = ctx;
      const schedule = await scheduleOf(ctx);
      const fill = () => backfill({ app, call: ctx.call, starts, store, now }, ctx.call, schedule, params);
      return params.dry_run === true
        ? fill()
        : audited(ctx, 'schedule.backfill', schedule, { from: params.from, to: params.to }, fill);
    },
  };

  async function hold(ctx: Ctx, held: boolean): Promise<ScheduleView> {
    const schedule = await scheduleOf(ctx);
    const change = () => store.hold(ctx.tenantId, schedule.record._id, held, now());
    const changed = await audited(ctx, held ? 'schedule.pause' : 'schedule.resume', schedule, {}, change);
    return oneScheduleView(store, ctx.call, changed);
  }

  async function scheduleOf({ params: { id, trigger }, tenantId }: Ctx): Promise<Schedule> {
    const timed = await store.ofWorkflow(tenantId, id);
    const found = timed.find(
      (each): each is Schedule => each.kind === 'schedule' && (trigger ?? each.timer.index) === each.timer.index,
    );
    if (found === undefined) throw noSchedule();
    return found;
  }

  /** Runs a change under an audit event of the workflow. */
  async function audited<T>(
    ctx: Ctx,
    action: string,
    { record, timer }: Schedule,
    more: JsonObject,
    act: () => Promise<T>,
  ) {
    const workflow = await starts.find(ctx.call, record.workflow_id);
    const target = { type: 'workflow', id: record.workflow_id, ...(workflow === null ? {} : { name: workflow.name }) };
    return app.audit.audited(auditedBy(ctx), { action, target, after: { trigger: timer.index, ...more } }, act);
  }
}
