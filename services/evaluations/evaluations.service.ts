import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { evaluationsContract } from '../../contracts/evaluations';
import { createIndexes } from '../../lib/indexes';
import { pageOf } from '../../lib/page';
import { PeriodicTask } from '../../lib/periodic';
import { auditedBy, type Recorded, recordedBy } from '../../mixins/audit';
import { Runner } from '../../mixins/leased-work/runner';
import { type ActionContext, defineService, type ServiceContext } from '../../mixins/service';
import { StartRun } from '../../mixins/start-run';
import { removeOldUploads } from '../../mixins/uploads';
import type { ActionName } from '../../contracts/catalogue';
import { type App, appOf } from '../app';
import { datasets } from './datasets';
import { compareEvaluations } from './evaluations/compare';
import { newEvaluation } from './evaluations/create';
import { resultPage } from './evaluations/results';
import { Evaluations } from './evaluations/store';
import { evaluationDetail, evaluationRow } from './evaluations/views';
import { evaluationModels } from './models';
import { processEvaluation } from './runs/process';

/** Evaluations that one process works on. While other tenants wait, a tenant has one. */
const CONCURRENCY = 4;
const SWEEP_MS = 600_000;
const COMPARED_ROWS = 20;

/** Data sets of inputs and expected outputs, and evaluations of workflows over them. */
export const evaluationsService = (app: App): ServiceSchema => {
  const models = evaluationModels(app.db);
  let service: ServiceContext;
  const warn = (message: string, fault?: unknown): void => service.log.warn(message, fault);
  const evaluations = new Evaluations(models);
  const { actions, store } = datasets(app, models, (tenantId, datasetId, recorded) =>
    evaluations.removeOf(tenantId, datasetId, recorded),
  );
  const recordedFor = (ctx: ActionContext<ActionName>): Recorded => recordedBy(app.audit, auditedBy(ctx));
  const runner = new Runner({
    model: models.evaluations,
    noun: 'evaluations',
    clock: app.clock,
    concurrency: CONCURRENCY,
    fence: ['cancelling'],
    process: processEvaluation({
      app,
      models,
      starts: new StartRun(app),
      call: (action, params, options) => service.call(action, params, options),
      warn,
    }),
    warn,
  });
  const sweep = new PeriodicTask({
    clock: app.clock,
    intervalMs: SWEEP_MS,
    run: () => removeOldUploads(models.uploads, app.clock.now()),
    onError: (fault) => warn('Parts of old uploads could not be removed', fault),
  });

  return defineService(app, evaluationsContract, {
    handlers: {
      ...actions,
      async list({ params, tenantId, folders }) {
        const page = pageOf(params);
        const visible = await folders.visible('workflow_id');
        const { records, next } = await evaluations.list(tenantId, { ...params, ...page }, visible);
        return { data: records.map(evaluationRow), ...page, next_cursor: next };
      },
      async create(ctx) {
        const fresh = await newEvaluation(app, models, store, ctx);
        const record = await evaluations.insert(ctx.tenantId, fresh, recordedFor(ctx));
        runner.kick();
        return evaluationDetail(record);
      },
      get: async ({ params: { id }, tenantId }) => evaluationDetail(await evaluations.get(tenantId, id)),
      async results({ params: { id, ...asked }, tenantId }) {
        await evaluations.get(tenantId, id);
        const page = pageOf(asked);
        const { data, next } = await resultPage(models, tenantId, id, { ...asked, ...page });
        return { data, ...page, next_cursor: next };
      },
      async cancel(ctx) {
        const { params, tenantId } = ctx;
        const record = await evaluations.cancel(tenantId, params.id, app.clock.now(), recordedFor(ctx));
        runner.kick();
        return evaluationDetail(record);
      },
      async rerun_failed(ctx) {
        const { params, tenantId } = ctx;
        const record = await evaluations.rerun(tenantId, params.id, app.clock.now(), recordedFor(ctx));
        runner.kick();
        return evaluationDetail(record);
      },
      async compare({ params: { id, other, limit = COMPARED_ROWS }, tenantId }) {
        const [a, b] = [await evaluations.get(tenantId, id), await evaluations.get(tenantId, other)];
        return compareEvaluations(models, app.compute.lane(tenantId), a, b, limit);
      },
      remove: (ctx) => evaluations.remove(ctx.tenantId, ctx.params.id, recordedFor(ctx)),
    },
    async started(context) {
      service = context;
      await createIndexes(...Object.values(models));
      await runner.start(app.exclusive);
      sweep.start();
    },
    async stopped() {
      await Promise.all([runner.stop(), sweep.stop()]);
    },
  });
};

export default (broker: ServiceBroker): ServiceSchema => evaluationsService(appOf(broker));
