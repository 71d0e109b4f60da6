import type { ServiceBroker } from 'moleculer';
import { errorMessage } from '../lib/errors';
import type { App } from '../services/app';

/** Health of a process, for probes. A null reason means healthy. */
export interface Probes {
  /** Why the process is not up: starting or stopping. */
  up(): string | null;
  /** Why the process should get no work. */
  ready(): Promise<string | null>;
  /** Details of the installation for the operator, as JSON; null when no process answers. */
  details(of: 'workers' | 'keys'): Promise<unknown>;
}

/** Used until the services have started. */
export const STARTING: Probes = { up: () => 'starting', ready: async () => 'starting', details: async () => null };

const TIMEOUT_MS = 2_000;

const DETAILS = { workers: 'executions.hosts', keys: 'secrets.key_details' } as const;

/**
 * Probes of a started process. A process that hosts executions is ready while its host accepts them, which requires a
 * valid lease and so the database. Gateways have a more detailed health endpoint of their own.
 */
export function probesOf(app: App, broker: ServiceBroker): Probes {
  const up = (): string | null => (app.leaving.aborted ? 'stopping' : null);
  return {
    up,
    async details(of) {
      const meta = { principal: app.principals.forTenant('', app.clock.now()) };
      try {
        return await broker.call<unknown, object>(DETAILS[of], {}, { meta, timeout: TIMEOUT_MS });
      } catch (fault) {
        broker.logger.warn(`Reading ${of} for the metrics port failed: ${errorMessage(fault)}`);
        return null;
      }
    },
    async ready() {
      const down = up();
      if (down !== null || broker.getLocalService('executor') === undefined) return down;
      const principal = app.principals.forTenant('', app.clock.now());
      const options = { meta: { principal }, timeout: TIMEOUT_MS, nodeID: broker.nodeID };
      try {
        const answer = await broker.call<{ ready: boolean; reason?: string }, object>('executor.ready', {}, options);
        return answer.ready ? null : (answer.reason ?? 'the executor accepts no work');
      } catch {
        return 'the executor does not answer';
      }
    },
  };
}
