import type { ServiceBroker } from 'moleculer';
import type { App } from '../services/app';

/** What is said of a process to whoever watches over it; null reasons mean yes. */
export interface Probes {
  /** Why the process is not up yet, or is leaving. */
  up(): string | null;
  /** Why it should get no work. */
  ready(): Promise<string | null>;
}

/** Before there is anything to ask. */
export const STARTING: Probes = { up: () => 'starting', ready: async () => 'starting' };

const PATIENCE_MS = 2_000;

/**
 * A process whose services run. Where it hosts executions, it is ready while its host takes them: with a lease that
 * holds, which it is not without the database. Processes with a gateway have a door of their own that says more.
 */
export function probesOf(app: App, broker: ServiceBroker): Probes {
  const up = (): string | null => (app.leaving.aborted ? 'stopping' : null);
  return {
    up,
    async ready() {
      const down = up();
      if (down !== null || broker.getLocalService('executor') === undefined) return down;
      const principal = app.principals.forTenant('', app.clock.now());
      const options = { meta: { principal }, timeout: PATIENCE_MS, nodeID: broker.nodeID };
      try {
        const answer = await broker.call<{ ready: boolean; reason?: string }, object>('executor.ready', {}, options);
        return answer.ready ? null : (answer.reason ?? 'the host of executions takes no work');
      } catch {
        return 'the host of executions does not answer';
      }
    },
  };
}
