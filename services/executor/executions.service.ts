import { executionsContract } from '../../contracts/executions';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { AppError, type ErrorCode, errorCode } from '../../lib/errors';
import { monthOf } from '../../lib/month';
import { auditedBy } from '../../mixins/audit';
import { defineService, type ServiceContext } from '../../mixins/service';
import type { Execution } from '../../runtime/core/model';
import { type App, appOf } from '../app';
import type { Call } from '../../contracts/catalogue';
import { isStepInLoops, onlyOf, stepAt } from './approvals';
import { comparison } from './comparison';
import { cutValues, RUN_VALUES } from './cut-values';
import { details } from './detail';
import { expressions } from './expressions';
import { bulkAction } from './bulk';
import { Decisions } from './decisions';
import { formPages, formUrl } from './form-pages';
import { Feedback } from './feedback';
import { JournalReader } from './journal-reader';
import { runEvents } from './run-events';
import { healthFigures } from './health';
import { triggerPublisher } from './end-subscribers';
import { lastingRuns } from './lasting-runs';
import { linesIn } from './log-lines';
import { Messages } from './messages';
import { integratorHandlers } from './integrators';
import { changedRuns } from './changed-runs';
import { executionTarget } from './audit-changes';
import { pauseActions } from './pauses';
import { purgeWorkflow } from './purge';
import { allQueues } from './all-queues';
import { queuesOf } from './queues';
import { type Records, recordsOf } from './records';
import { Retention } from './retention';
import { retryAction } from './retry';
import { runDocument } from './run-document';
import { ExecutionQueries, notFound } from './execution-queries';
import { answerFormOf } from './answer-form';
import { openFormsOf } from './open-forms';
import { signalActions } from './signals';
import { StepIndexes } from './step-indexes';
import { enqueueRun, waitForEnd } from './start-run';
import { executionView, publicView, withFormLinks, workerPool, workerRow } from './views';
import { readQuery } from './visibility';
import { waitingFilter, waitingRows } from './waiting-steps';
import { pageOf, sliceOf } from '../../lib/page';

/** How long a cancel waits for the end of the run, so that the response usually shows `cancelled`. */
const CANCEL_WAIT_MS = 2_000;

/** Queries and commands on runs, for users, public callers and other services. Any node serves any run. */
export const executionsService = (app: App, records: Records): ServiceSchema => {
  const executions = new ExecutionQueries(records);
  const messages = new Messages(app, records);
  let service: ServiceContext;
  const feedback = new Feedback(app);
  const decisions = new Decisions(app);
  const { removals } = records;
  const retention = new Retention({
    app,
    records,
    messages,
    feedback,
    decisions,
    removals,
    days: app.config.retentionDays,
  });

  const journals = new JournalReader(records.store, records.collections, () => app.clock.now());

  const indexes = new StepIndexes(
    records,
    () => app.clock.now(),
    (fault) =>
      service.log.warn('The index of the steps of a run could not be stored; its next view builds it again', fault),
  );
  const { detail, timeline, overview, indexSteps, addressesOf, hasBegun } = details(
    executions,
    journals,
    indexes,
    feedback,
  );
  const openForms = openFormsOf(journals, indexes);
  const answerForm = answerFormOf(app, records, messages, openForms);
  const sending = { executions, messages, decisions, answerForm };
  const { signal, deliver, decideByLink } = signalActions(app, records, sending);

  /** The address under which a rating of a step is stored. @throws AppError not_found, conflict when the bare id is ambiguous */
  async function ratedStep({ call }: { call: Call }, execution: Execution, named: string): Promise<string> {
    const plan = await records.plan({ call }, execution.tenantId, execution.planHash);
    if (stepAt(plan, named) !== null) return named;
    if (!isStepInLoops(plan, named)) throw new AppError('not_found', `Execution ${execution.id} has no step ${named}`);
    const choices = (await addressesOf(call, execution, named)).filter((address) => stepAt(plan, address) !== null);
    return onlyOf(choices, execution.id, named, 'has begun');
  }

  const hoursAgo = (hours: number): Date => new Date(app.clock.now() - hours * 3_600_000);

  return defineService(app, executionsContract, {
    handlers: {
      async list({ params, tenantId, folders }) {
        const page = pageOf(params);
        const visible = await folders.visible('workflow_id');
        const { rows, next } = await executions.page(tenantId, { ...params, ...page, visible });
        return { data: rows, ...page, next_cursor: next };
      },
      async visibility({ params: { query = '', cursor, trials, ...asked }, tenantId, folders }) {
        const page = pageOf(asked);
        const selection = readQuery(query, app.clock.now());
        const visible = await folders.visible('workflow_id');
        const { rows, next } = await executions.page(tenantId, { ...page, cursor, selection, trials, visible });
        return { data: rows, ...page, next_cursor: next };
      },
      statuses: async ({ params: { ids }, tenantId }) => ({ data: await executions.statuses(tenantId, ids) }),
      recent: async ({ params: { workflow_ids }, tenantId }) => ({
        data: await executions.recent(tenantId, workflow_ids),
      }),
      workers: async ({ params }) => sliceOf([workerPool(await records.hosts.rows())], pageOf(params)),
      hosts: async () => ({ data: (await records.hosts.rows()).map(workerRow) }),
      async get({ params: { id, max_value_chars: maxChars, origin }, tenantId, principal }) {
        const execution = await executions.get(tenantId, id);
        return withFormLinks(cutValues(executionView(execution), RUN_VALUES, maxChars), (question) =>
          principal?.role === 'viewer' ? null : formUrl(app, { ...app.config, origin }, id, question),
        );
      },
      detail,
      evaluate: expressions(app, { records, executions, journals, indexes }),
      timeline,
      compare: comparison(app, records, executions, journals, indexes),
      overview,
      async queues({ params: { workflow_id, kind, ...asked }, tenantId, folders }) {
        const { rows, truncated } = await queuesOf(
          records.collections,
          tenantId,
          { workflow_id, kind, visible: await folders.visible('workflow_id') },
          app.clock.now(),
        );
        return { ...sliceOf(rows, pageOf(asked)), truncated };
      },
      operator_queues: () => allQueues(records.collections, app.clock.now()),
      index_steps: indexSteps,
      document: runDocument(records, executions),
      async logs({ params: { id, ...filter }, tenantId }) {
        await executions.get(tenantId, id);
        return linesIn(await records.logs.after(id, filter.after ?? 0), filter);
      },
      bulk: bulkAction(app, executions),
      async cancel(ctx) {
        const { tenantId, principal } = ctx;
        const { id } = ctx.params;
        const execution = await executions.get(tenantId, id);
        const end = records.runEnds.ended(id, CANCEL_WAIT_MS);
        const cancel = (): Promise<void> => messages.cancel(id, principal?.email ?? null);
        const change = { action: 'execution.cancel', target: executionTarget(execution) };
        // An ended run does not change; the response shows it.
        await (execution.status === 'running' ? app.audit.audited(auditedBy(ctx), change, cancel) : cancel());
        await end.finished;
        return executionView(await executions.get(tenantId, id));
      },
      ...pauseActions(app, executions, messages),
      retry: retryAction(app, records, executions, hasBegun),
      signal,
      deliver,
      async approvals({ tenantId, principal, folders, params: { kind = 'all', mine = false, origin, ...given } }) {
        const page = pageOf(given);
        const filter = {
          $and: [waitingFilter({ kind, mine: mine ? principal : null }), await folders.visible('workflow_id')],
        };
        const steps = await executions.waitingSteps(tenantId, filter, page);
        const at = { ...app.config, origin };
        const formLink = (id: string, question: string): string => formUrl(app, at, id, question);
        return { data: waitingRows(at, steps, principal, formLink), ...page };
      },
      async approvals_count({ tenantId, principal, folders }) {
        const visible = await folders.visible('workflow_id');
        const [all, mine] = await Promise.all(
          [null, principal].map((by) =>
            executions.countWaiting(tenantId, { $and: [waitingFilter({ kind: 'approval', mine: by }), visible] }),
          ),
        );
        return { mine: mine?.count ?? 0, all: all?.count ?? 0, more: all?.more ?? false };
      },
      async decided({ tenantId, principal, folders, params: { mine = false, cursor, ...asked } }) {
        const { limit } = pageOf(asked);
        // A key or a service without an e-mail address has decided nothing under one.
        const by = mine ? { by: principal?.email ?? '' } : {};
        const { data, next } = await decisions.page(tenantId, {
          limit,
          visible: await folders.visible('workflow_id'),
          ...(cursor && { cursor }),
          ...by,
        });
        return { data, limit, next_cursor: next };
      },
      decide_by_link: decideByLink,
      async feedback(ctx) {
        const { id, step_id, rating, comment = null } = ctx.params;
        const execution = await executions.get(ctx.tenantId, id);
        const address = await ratedStep(ctx, execution, step_id);
        await feedback.put(ctx.tenantId, id, address, { rating, comment }, ctx.principal?.user_id ?? null);
        return { execution_id: id, step_id: address, rating, comment };
      },
      ...formPages(app, records, { executions, openForms, answerForm }),
      tenant_of: async ({ params: { id } }) => ({ tenant_id: (await executions.find(id)).tenantId }),
      public: async ({ params: { id } }) => publicView(await executions.find(id)),
      async accept(ctx) {
        const accepted = await enqueueRun(app, records, ctx);
        service.emit('executor.wake', {});
        return accepted;
      },
      settled: (ctx) => waitForEnd(app, records, ctx),
      async stop({ params: { id }, tenantId }) {
        const execution = await executions.get(tenantId, id).catch(nullUnless('not_found'));
        if (execution?.status === 'running') await messages.cancel(id, null).catch(nullUnless('execution_ended'));
      },
      rated: async ({ params: { ids, ...asked }, tenantId }) => ({ ids: await feedback.rated(tenantId, ids, asked) }),
      async purge(ctx) {
        const announce = triggerPublisher(ctx, records.store);
        const purging = { app, records, messages, feedback, decisions, call: ctx.call, announce };
        return { removed: await purgeWorkflow(purging, ctx.tenantId, ctx.params.workflow_id) };
      },
      async usage({ tenantId }) {
        const now = app.clock.now();
        return { executions: await records.usage.totals.read(tenantId, monthOf(now), now) };
      },
      activity: async ({ tenantId, params: { hours = 24 } }) => ({
        hours: await records.usage.activity.of(tenantId, hours),
      }),
      breakdown: async ({ tenantId, folders, params: { days = 30 } }) =>
        records.usage.breakdowns.of(tenantId, days, await folders.visible('ref')),
      figures: async ({ params: { days }, tenantId }) => ({ data: await records.usage.statistics.of(tenantId, days) }),
      lasting: async ({ params, tenantId }) => ({ data: await lastingRuns(records, tenantId, params) }),
      health: async ({ params: { workflow_ids, window_hours }, tenantId }) => ({
        data: await healthFigures(records, tenantId, workflow_ids, hoursAgo(window_hours)),
      }),
      async events(ctx) {
        const { id, after = 0, latest = false, audience } = ctx.params;
        const execution = audience === 'tenant' ? await executions.get(ctx.tenantId, id) : await executions.find(id);
        if (audience === 'tenant') await ctx.folders.assertWorkflow(execution.workflowId, 'view', () => notFound(id));
        // The document is marked as ended after the last journal write, so no event is missing.
        const ended = execution.status !== 'running';
        if (latest) return { events: [], ended, ...(await journals.end(id)) };
        const plan = await records.plan(ctx, execution.tenantId, execution.planHash);
        const { entries, next, more } = await journals.entriesAfter(id, after);
        return { events: runEvents(plan, entries, after, audience), ended, next, more };
      },
      ...integratorHandlers(app, records, executions, () => service),
      moved: async ({ params: { runs } }) => ({ ids: await changedRuns(records.collections, runs) }),
    },
    events: {
      'execution.moved': records.runEnds.event,
      'execution.subscribe': records.subscriptions.event,
      'tenant.watch': records.tenantEvents.event,
      'cache.stale': {
        handle: ({ patterns }) => patterns.forEach((pattern) => records.forget(pattern)),
      },
    },
    async started(context) {
      service = context;
      records.runEnds.open(context);
      messages.open(context);
      await Promise.all([records.createIndexes(), feedback.createIndexes(), decisions.createIndexes()]);
      retention.start(context);
    },
    stopped: () => retention.stop(),
  });
};

/** Null for a fault with this code. */
const nullUnless =
  (code: ErrorCode) =>
  (fault: unknown): null => {
    if (errorCode(fault) === code) return null;
    throw fault;
  };

export default (broker: ServiceBroker): ServiceSchema => executionsService(appOf(broker), recordsOf(broker));
