import { compile, validateDocument } from '../../dsl';
import type { ResultOf } from '../../contracts/catalogue';
import type { ExecutionView } from '../../contracts/executions/views';
import { derivedId } from '../../lib/ids';
import type { ActionContext } from '../../mixins/service';
import { maxWaitMs } from '../../mixins/start-run';
import type { App } from '../app';
import type { StepTestDeps } from './run-step-test';

/** The id of the only step. */
const STEP = 'act';

type Acted = ResultOf<'workflows.act'>;

/**
 * Does an action of a connector for another service: as a run of one step under an id of the caller, so that a repetition
 * finds that run and does nothing. It counts as a trial, which starts nothing when it ends. Texts of users come as the
 * trigger, where no expression of theirs is evaluated.
 */
export const actOnce =
  (app: App, parts: StepTestDeps) =>
  async ({ params, tenantId, call, requestId }: ActionContext<'workflows.act'>): Promise<Acted> => {
    const { type, config, trigger = {}, execution_id: executionId } = params;
    const document = {
      id: STEP,
      trigger: { type: 'manual' },
      steps: [{ id: STEP, type, config, retry: { max_attempts: 1 } }],
    };
    const nodeTypes = await parts.tenantNodeTypes.of(tenantId, document);
    const faulty = (path: string, message: string): Acted => ({
      faults: [{ path, message }],
      status: 'failed',
      error: message,
    });
    if (!nodeTypes.has(type)) return faulty('action', `there is no action ${type}`);
    const { errors } = validateDocument(document, { nodeTypes });
    if (errors.length > 0) {
      const faults = errors.map(({ path, message }) => ({
        path: path.replace('steps[0].config', 'input').replace('input.connection', 'connection'),
        message,
      }));
      return { faults, status: 'failed', error: `${faults[0]?.path} ${faults[0]?.message}` };
    }
    const plan = compile(document, nodeTypes);
    if (plan.secrets.length > 0) return faulty('input', 'must name no secret: use a connection');
    if (params.check === true) return { faults: [], status: 'checked', error: null };
    await parts.workflows.putPlan(plan);
    const workflow = {
      id: derivedId(app.keys.principal, 'action', tenantId, type),
      name: type,
      env: 'dev' as const,
      tenant_id: tenantId,
      plan_hash: plan.hash,
    };
    const { record } = await parts.starts.start(call, workflow, {
      type: 'test',
      trigger: { trigger, steps: {}, loop: null, error: null },
      executionId,
      requestId,
      waitMs: maxWaitMs(app.config.requestTimeoutMs),
      record: true,
    });
    const { status, error } = record as ExecutionView;
    const ended = status === 'cancelled' ? 'failed' : status;
    return { faults: [], status: ended, error: error?.message ?? null };
  };
