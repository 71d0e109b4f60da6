import type { ServiceSchema } from 'moleculer';
import { AppError } from '../../lib/errors';
import { monthOf } from '../../lib/month';
import { auditedBy } from '../../mixins/audit';
import { defineService, type ServiceContext, staleParams } from '../../mixins/service';
import type { App } from '../app';
import { approvalRows, stepAt } from './approvals';
import { details } from './detail';
import { inBulk } from './bulk';
import { Feedback } from './feedback';
import { Histories } from './histories';
import { runEvents } from './run-events';
import { healthFigures } from './health';
import { announcer } from './listeners';
import { Messages } from './messages';
import { executionTarget } from './on-record';
import * as params from './params';
import { purgeWorkflow } from './purge';
import type { Records } from './records';
import { Retention } from './retention';
import { retrying } from './retrying';
import { Executions } from './rows';
import { signalling } from './signals';
import { acceptRun, settledRun } from './starting';
import { executionView, publicView, workerRow } from './views';
import { readQuery } from './visibility';

const DEFAULT_PAGE = 50;
const MOST_APPROVALS = 1_000;
/** A cancelled run is usually over at once; its answer then shows that, instead of `running`. */
const CANCEL_WAIT_MS = 2_000;

/** What people, public callers and other services see of runs, and how they act on them. Any node answers for any run. */
export const executionsService = (app: App, records: Records): ServiceSchema => {
  const executions = new Executions(records);
  const messages = new Messages(app, records);
  let service: ServiceContext;
  const feedback = new Feedback(app);
  const { removals } = records;
  const retention = new Retention({ app, records, messages, feedback, removals, days: app.config.retentionDays });

  const histories = new Histories(records.store, () => app.clock.now());

  const { detail, timeline } = details(app, records, executions, histories, feedback);
  const { signal, deliver, decideByLink } = signalling(app.audit, records, executions, messages);

  const hoursAgo = (hours: number): Date => new Date(app.clock.now() - hours * 3_600_000);

  return defineService(app, 'executions', {
    actions: {
      list: {
        access: 'member',
        summary: 'Executions, newest first',
        params: params.listParams,
        async handle({ params: { limit = DEFAULT_PAGE, offset = 0, ...rest }, tenantId }) {
          const { rows, next } = await executions.page(tenantId, { limit, offset, ...rest });
          return { data: rows, limit, offset, next_cursor: next };
        },
      },
      visibility: {
        access: 'member',
        summary: 'Executions by a list filter',
        params: params.visibilityParams,
        async handle({ params: { query = '', limit = DEFAULT_PAGE, offset = 0, cursor }, tenantId }) {
          const selection = readQuery(query, app.clock.now());
          const { rows, next } = await executions.page(tenantId, { limit, offset, cursor, selection });
          return { data: rows, limit, offset, next_cursor: next };
        },
      },
      statuses: {
        access: 'internal',
        summary: 'How runs stand',
        params: { ids: { type: 'array', items: params.id, max: 400 } },
        handle: async ({ params: { ids }, tenantId }) => ({ data: await executions.statuses(tenantId, ids) }),
      },
      workers: {
        access: 'admin',
        summary: 'The hosts of executions: who lives, how busy they are, who is leaving',
        params: {},
        handle: async () => ({ data: (await records.hosts.rows()).map(workerRow) }),
      },
      get: {
        access: 'member',
        summary: 'One execution',
        params: { id: params.id },
        handle: async ({ params: { id }, tenantId }) => executionView(await executions.get(tenantId, id)),
      },
      detail: {
        access: 'member',
        summary: 'One execution with a record per step',
        params: params.detailParams,
        handle: detail,
      },
      timeline: {
        access: 'member',
        summary: 'When the steps of an execution were at work, waited or paused',
        params: { id: params.id },
        handle: timeline,
      },
      bulk: {
        access: 'member',
        summary: 'Cancels, retries or signals every execution that a query means',
        params: params.bulkParams,
        handle: inBulk(app, executions),
      },
      cancel: {
        access: 'member',
        summary: 'Cancels a running execution; steps in flight are interrupted',
        params: { id: params.id },
        async handle(ctx) {
          const { tenantId, principal } = ctx;
          const { id } = ctx.params;
          const execution = await executions.get(tenantId, id);
          const end = records.tidings.ended(id, CANCEL_WAIT_MS);
          const cancel = (): Promise<void> => messages.cancel(id, principal?.email ?? null);
          const change = { action: 'execution.cancel', target: executionTarget(execution) };
          // One that has ended is left as it is, and says so.
          await (execution.status === 'running' ? app.audit.audited(auditedBy(ctx), change, cancel) : cancel());
          await end.heard;
          return executionView(await executions.get(tenantId, id));
        },
      },
      retry: {
        access: 'member',
        summary: 'Runs an ended execution again without repeating its completed steps',
        params: params.retryParams,
        handle: retrying(app, records, executions),
      },
      signal: {
        access: 'member',
        summary: 'Sends a durable signal to a running execution',
        params: params.signalParams,
        handle: signal,
      },
      deliver: {
        access: 'internal',
        summary: 'Sends a signal for a step of another run',
        params: params.deliverParams,
        handle: deliver,
      },
      approvals: {
        access: 'member',
        summary: 'Steps that wait for a decision',
        params: { origin: { type: 'string', pattern: /^https?:\/\/[\w.:[\]-]+$/, max: 300, optional: true } },
        async handle({ tenantId, params: { origin } }) {
          const waiting = await executions.awaitingApproval(tenantId, MOST_APPROVALS);
          return { data: waiting.flatMap((execution) => approvalRows({ ...app.config, origin }, execution)) };
        },
      },
      decide_by_link: {
        access: 'public',
        summary: 'Decides an approval with the two ids of its link',
        params: {
          id: params.id,
          step_id: params.address,
          decision: { type: 'enum', values: ['approve', 'reject'], optional: true },
        },
        handle: decideByLink,
      },
      feedback: {
        access: 'member',
        summary: 'Rates what a step did',
        params: {
          id: params.id,
          step_id: params.address,
          rating: { type: 'string', min: 1, max: 50 },
          comment: { type: 'string', max: 10_000, optional: true },
        },
        async handle(ctx) {
          const { id, step_id, rating, comment = null } = ctx.params;
          const execution = await executions.get(ctx.tenantId, id);
          if (stepAt(await records.plan(ctx, ctx.tenantId, execution.planHash), step_id) === null)
            throw new AppError('not_found', `Execution ${id} has no step ${step_id}`);
          await feedback.put(ctx.tenantId, id, step_id, { rating, comment }, ctx.principal?.user_id ?? null);
          return { execution_id: id, step_id, rating, comment };
        },
      },
      public: {
        access: 'public',
        summary: 'Status and output of a run, for whoever holds its id',
        params: { id: params.id },
        handle: async ({ params: { id } }) => publicView(await executions.find(id)),
      },
      accept: {
        access: 'internal',
        summary: 'Stores a run for any host to begin',
        params: params.startParams,
        async handle(ctx) {
          const accepted = await acceptRun(app, records, ctx);
          service.emit('executor.wake', {});
          return accepted;
        },
      },
      settled: {
        access: 'internal',
        summary: 'A run when it has ended, or as it is when the time is up',
        params: { id: params.id, wait_ms: params.waitMs },
        handle: (ctx) => settledRun(app, records, ctx),
      },
      purge: {
        access: 'internal',
        summary: 'Cancels and removes all executions of a workflow',
        params: { workflow_id: params.id },
        async handle(ctx) {
          const announce = announcer(ctx, records.store);
          const purging = { app, records, messages, feedback, call: ctx.call, announce };
          return { removed: await purgeWorkflow(purging, ctx.tenantId, ctx.params.workflow_id) };
        },
      },
      usage: {
        access: 'internal',
        summary: 'Executions of the tenant that count in this month',
        params: {},
        async handle({ tenantId }) {
          const now = app.clock.now();
          return { executions: await records.usage.ledger.read(tenantId, monthOf(now), now) };
        },
      },
      figures: {
        access: 'internal',
        summary: "The tenant's runs of the last days",
        params: { days: { type: 'number', integer: true, min: 1, max: 90 } },
        handle: async ({ params: { days }, tenantId }) => ({ data: await records.usage.figures.of(tenantId, days) }),
      },
      health: {
        access: 'internal',
        summary: 'Figures of recent runs, by workflow',
        params: {
          workflow_ids: { type: 'array', items: 'string', max: 200 },
          window_hours: { type: 'number', positive: true, max: 24 * 90 },
        },
        handle: async ({ params: { workflow_ids, window_hours }, tenantId }) => ({
          data: await healthFigures(records, tenantId, workflow_ids, hoursAgo(window_hours)),
        }),
      },
      events: {
        access: 'public',
        summary: 'The recorded events of a run after a position',
        params: {
          id: params.id,
          after: { type: 'number', integer: true, min: 0, optional: true },
          audience: { type: 'enum', values: ['tenant', 'public'] },
        },
        async handle(ctx) {
          const { id, after = 0, audience } = ctx.params;
          const execution = audience === 'tenant' ? await executions.get(ctx.tenantId, id) : await executions.find(id);
          const plan = await records.plan(ctx, execution.tenantId, execution.planHash);
          const events = runEvents(plan, await histories.after(id, after), after, audience);
          // The document says "ended" only after the journal does, so no event can be missing then.
          return { events, ended: execution.status !== 'running' };
        },
      },
    },
    events: {
      'execution.moved': records.tidings.event,
      'cache.stale': {
        params: staleParams,
        handle: ({ patterns }) => patterns.forEach((pattern) => records.forget(pattern)),
      },
    },
    async started(context) {
      service = context;
      records.tidings.open(context);
      messages.open(context);
      await Promise.all([records.createIndexes(), feedback.createIndexes()]);
      retention.start(context);
    },
    stopped: () => retention.stop(),
  });
};
