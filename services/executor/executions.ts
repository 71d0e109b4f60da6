import type { ServiceSchema } from 'moleculer';
import type { PlanStep } from '../../dsl';
import { AppError } from '../../lib/errors';
import { jsonSize } from '../../lib/json';
import { defineService, type ServiceContext } from '../../mixins/service';
import type { Execution } from '../../runtime/store/port';
import { ensureIndexes } from '../../runtime/store/mongo/collections';
import type { App } from '../app';
import { approvalRows, approvalStep, mayDecide, type Question, questionOf } from './approvals';
import { Feedback } from './feedback';
import { Histories } from './histories';
import { runEvents, stepViews } from './history';
import { healthFigures } from './health';
import { Messages } from './messages';
import * as params from './params';
import { purgeWorkflow } from './purge';
import type { Records } from './records';
import { retrying } from './retrying';
import { Executions } from './rows';
import { acceptRun, settledRun } from './starting';
import { executionView, publicView, workerRow } from './views';

const DEFAULT_PAGE = 50;
const MOST_APPROVALS = 1_000;
/** Messages are kept until the run has ended, and all are in memory whenever it looks for one. */
const MOST_MESSAGES = 1_000;
const MOST_DATA = 256 * 1024;

/** What people, public callers and other services see of runs, and how they act on them. Any node answers for any run. */
export const executionsService = (app: App, records: Records): ServiceSchema => {
  const executions = new Executions(records);
  const messages = new Messages(app, records);
  let service: ServiceContext;
  const feedback = new Feedback(app);

  const histories = new Histories(records.store, () => app.clock.now());

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
        params: { id: params.id, include: { type: 'string', max: 100, optional: true } },
        async handle(ctx) {
          const execution = await executions.get(ctx.tenantId, ctx.params.id);
          const plan = await records.plan(ctx, ctx.tenantId, execution.planHash);
          const rated = await feedback.of(ctx.tenantId, execution.id);
          const withAttempts = ctx.params.include?.split(',').includes('attempts') === true;
          const steps = stepViews(plan, await histories.all(execution.id)).map(({ attempts, ...step }) => ({
            ...step,
            feedback: rated.get(step.step_id) ?? null,
            ...(withAttempts ? { attempts } : {}),
          }));
          return { execution: executionView(execution), steps };
        },
      },
      cancel: {
        access: 'member',
        summary: 'Cancels a running execution; steps in flight are interrupted',
        params: { id: params.id },
        async handle({ params: { id }, tenantId, principal }) {
          await executions.get(tenantId, id);
          const end = records.tidings.ended(id, CANCEL_WAIT_MS);
          await messages.cancel(id, principal?.email ?? null);
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
        async handle(ctx) {
          const { id, signal, data = {} } = ctx.params;
          const execution = await executions.get(ctx.tenantId, id);
          const by = ctx.principal?.email ?? null;
          const stepId = approvalStep(signal);
          if (jsonSize(data) > MOST_DATA)
            throw new AppError('payload_too_large', `The 'data' of a signal has at most ${MOST_DATA} characters`);
          if (stepId === null) {
            if (execution.inbox >= MOST_MESSAGES)
              throw new AppError('conflict', `Execution ${id} has had ${MOST_MESSAGES} signals; it takes no more`);
            await messages.signal(id, signal, data, by);
          } else {
            const { plan } = await records.plan(ctx, ctx.tenantId, execution.planHash);
            const question = asked(plan.steps, stepId, execution);
            if (typeof data.approved !== 'boolean') throw undecided();
            if (!mayDecide(question, ctx.principal))
              throw new AppError('forbidden', 'This approval names other approvers');
            await messages.decide(id, question.name, data, by);
          }
          return { accepted: true as const, execution_id: id, signal };
        },
      },
      approvals: {
        access: 'member',
        summary: 'Steps that wait for a decision',
        params: {},
        async handle({ tenantId }) {
          const waiting = await executions.awaitingApproval(tenantId, MOST_APPROVALS);
          return { data: waiting.flatMap((execution) => approvalRows(app.config, execution)) };
        },
      },
      decide_by_link: {
        access: 'public',
        summary: 'Decides an approval with the two ids of its link',
        params: {
          id: params.id,
          step_id: params.id,
          decision: { type: 'enum', values: ['approve', 'reject'], optional: true },
        },
        async handle(ctx) {
          const { id, step_id, decision } = ctx.params;
          const execution = await executions.find(id);
          const { plan } = await records.plan(ctx, execution.tenantId, execution.planHash);
          const question = asked(plan.steps, step_id, execution);
          const approved = decision === undefined ? await messages.decision(id, question.name) : decision === 'approve';
          if (decision !== undefined) await messages.decide(id, question.name, { approved }, 'link');
          return { execution_id: id, step_id, message: question.message, approved };
        },
      },
      feedback: {
        access: 'member',
        summary: 'Rates what a step did',
        params: {
          id: params.id,
          step_id: params.id,
          rating: { type: 'string', min: 1, max: 50 },
          comment: { type: 'string', max: 10_000, optional: true },
        },
        async handle(ctx) {
          const { id, step_id, rating, comment = null } = ctx.params;
          const execution = await executions.get(ctx.tenantId, id);
          const { plan } = await records.plan(ctx, ctx.tenantId, execution.planHash);
          if (!plan.steps.some((step) => step.id === step_id))
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
        handle: async ({ params: { workflow_id }, tenantId }) => ({
          removed: await purgeWorkflow(app, records, messages, feedback, tenantId, workflow_id),
        }),
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
          const { byPath } = await records.plan(ctx, execution.tenantId, execution.planHash);
          const events = runEvents(
            await histories.after(id, after),
            after,
            audience,
            (path) => byPath.get(path)?.def.type ?? 'unknown',
          );
          // The document says "ended" only after the journal does, so no event can be missing then.
          return { events, ended: execution.status !== 'running' };
        },
      },
    },
    events: { 'execution.moved': records.tidings.event },
    async started(context) {
      service = context;
      records.tidings.open(context);
      messages.open(context);
      await Promise.all([ensureIndexes(records.collections), feedback.createIndexes()]);
    },
  });
};

/** A cancelled run is usually over at once; its answer then shows that, instead of `running`. */
const CANCEL_WAIT_MS = 2_000;

/** @throws AppError not_found without such a step, conflict where it asks nothing */
function asked(steps: readonly PlanStep[], stepId: string, execution: Execution): Question {
  const step = steps.find((other) => other.id === stepId);
  if (step === undefined) throw new AppError('not_found', `Execution ${execution.id} has no step ${stepId}`);
  const question = questionOf(step, execution.waiting);
  if (question === null) throw new AppError('conflict', `Step ${stepId} asks nothing that could be decided`);
  return question;
}

const undecided = (): AppError =>
  new AppError('invalid_request', 'A decision needs data.approved, true or false', {
    details: [{ path: 'data.approved', message: 'must be true or false' }],
  });
