import { ReadThrough } from '../../lib/read-through';
import {
  assertRunnable,
  assertSecretsExist,
  type StartCause,
  startExecution,
  startParams,
} from '../../mixins/admission';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { StartResult } from '../executor/contract';
import type { Startable } from '../workflows/contract';

const SECRETS_TTL_MS = 1_000;
const SECRETS_CACHED = 10_000;

/** What of the caller a start needs. */
export interface Starter {
  readonly call: Call;
  readonly requestId: string;
}

/** Starts workflows for those who are not signed in. */
export interface Starting {
  /** Refuses a workflow that cannot start now. @throws AppError workflow_disabled, workflow_pending, unknown_secret */
  admit(call: Call, workflow: Startable): Promise<void>;
  /** Starts an admitted workflow; the run is durable when this answers. */
  start(starter: Starter, workflow: Startable, cause: Omit<StartCause, 'requestId'>): Promise<StartResult>;
}

/** What of the workflows' secrets is missing is asked once a second at most. */
export function starting(app: App): Starting {
  const missing = new ReadThrough<string[]>({
    max: SECRETS_CACHED,
    ttlMs: SECRETS_TTL_MS,
    now: () => app.clock.now(),
  });

  return {
    async admit(call, workflow) {
      assertRunnable(workflow);
      if (workflow.secrets.length > 0) assertSecretsExist(await missingSecrets(call, workflow));
    },
    start({ call, requestId }, workflow, cause) {
      const params = startParams(workflow, { ...cause, requestId }, app.clock.now());
      return startExecution(app, call, workflow.tenant_id, params);
    },
  };

  async function missingSecrets(call: Call, { tenant_id: tenantId, secrets }: Startable): Promise<string[]> {
    const cacheKey = `${tenantId}:${secrets.join()}`;
    const names = await missing.get(
      cacheKey,
      async () => (await call('secrets.missing', { names: secrets }, { asServiceOf: tenantId })).names,
    );
    // What is missing is often put in the moment after it was told; only "all there" may be remembered.
    if (names.length > 0) missing.delete(cacheKey);
    return names;
  }
}
