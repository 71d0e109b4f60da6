import { AppError } from '../../lib/errors';
import type { Handlers, ServiceContext } from '../../mixins/service';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { Records } from './records';
import type { ExecutionQueries } from './execution-queries';
import { executionView } from './views';
import { WATCH_MS } from '../../mixins/watch-registry';

const DEFAULT_WAIT_MS = 30_000;
/** Time that is reserved for the response of a call. */
const ANSWER_MS = 500;
/** Concurrent waits; each of them reads its run every two seconds. */
const MAX_WAITS_PER_TENANT = 1_000;

type IntegratorHandlers = Pick<Handlers<'executions'>, 'wait' | 'subscribe'>;

/** Replacement of the HTTP streams for clients over NATS. */
export function integratorHandlers(
  app: App,
  records: Records,
  executions: ExecutionQueries,
  service: () => ServiceContext,
): IntegratorHandlers {
  const waits = new Map<string, number>();

  /** @throws AppError rate_limited */
  async function counted<T>(tenantId: string, wait: () => Promise<T>): Promise<T> {
    const open = waits.get(tenantId) ?? 0;
    if (open >= MAX_WAITS_PER_TENANT)
      throw new AppError('rate_limited', `The tenant waits for ${MAX_WAITS_PER_TENANT} runs already`, {
        retry_after: 1,
      });
    waits.set(tenantId, open + 1);
    try {
      return await wait();
    } finally {
      const left = (waits.get(tenantId) ?? 1) - 1;
      if (left === 0) waits.delete(tenantId);
      else waits.set(tenantId, left);
    }
  }

  return {
    async wait({ params: { id, timeout_ms = DEFAULT_WAIT_MS }, tenantId, timeoutMs }) {
      const allowedMs = (timeoutMs ?? app.config.requestTimeoutMs) - ANSWER_MS;
      const deadline = app.clock.now() + Math.min(timeout_ms, allowedMs);
      const look = (): Promise<Execution> => executions.get(tenantId, id);
      // Reads the run before it subscribes at the hosts: it may not exist, or have ended.
      let execution = await look();
      if (execution.status === 'running')
        execution = await counted(tenantId, () => records.settled(deadline, id, records.asHost, look));
      return { ...executionView(execution), ended: execution.status !== 'running' };
    },
    async subscribe({ tenantId, integratorNode: node, folders }) {
      if (node === null) throw new AppError('forbidden', 'Only nodes of integrators can subscribe, over NATS');
      if ((await folders.withheld()).length > 0)
        throw new AppError('forbidden', 'A subscription has the events of all runs; folders are withheld from you');
      const { subscriptions } = records;
      subscriptions.assertRoom(tenantId, node);
      service().broadcast('execution.subscribe', { tenant_id: tenantId, node });
      return { tenant_id: tenantId, node, key: subscriptions.keyOf(tenantId, node), renew_after_ms: WATCH_MS / 3 };
    },
  };
}
