import { sameText, sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { type JsonObject, isObject } from '../../lib/json';
import { ReadThrough } from '../../lib/read-through';
import {
  assertRunnable,
  assertSameInput,
  assertSecretsExist,
  startExecution,
  startParams,
  waitMs,
} from '../../mixins/admission';
import { NO_TENANT } from '../../mixins/principal';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { StartResult } from '../executor/contract';
import type { Startable } from '../workflows/contract';
import type { InboundRequest } from './contract';
import { IDEMPOTENCY_KEY, deliveryId, recordableHeaders } from './headers';

const SECRETS_TTL_MS = 1_000;
const SECRETS_CACHED = 10_000;

type Receiving = Pick<ActionContext<'channels.webhook'>, 'call' | 'requestId'>;

/** Turns requests from outside into runs. A request is durable, as the run's own record, when this answers. */
export function receiving(app: App) {
  const missing = new ReadThrough<string[]>({
    max: SECRETS_CACHED,
    ttlMs: SECRETS_TTL_MS,
    now: () => app.clock.now(),
  });

  return {
    /** @throws AppError not_found, unauthenticated, workflow_disabled, workflow_pending, unknown_secret */
    async webhook(ctx: Receiving, request: InboundRequest, wait: boolean): Promise<StartResult> {
      const until = answerBy();
      const workflow = await ctx.call('workflows.startable', { id: request.workflow_id }, { asServiceOf: NO_TENANT });
      if (!workflow?.triggers.includes('http')) throw notFound('webhook', request.workflow_id);
      assertWebhookKey(workflow, request.headers);
      return start(ctx, workflow, request, { type: 'http', trigger: webhookTrigger(request) }, wait ? until : null);
    },

    /** @throws AppError not_found, unauthenticated, workflow_disabled, workflow_pending, unknown_secret */
    async run(ctx: Receiving, request: InboundRequest, key: string, wait: boolean): Promise<StartResult> {
      const until = answerBy();
      const workflow = await ctx.call('workflows.startable', { id: request.workflow_id }, { asServiceOf: NO_TENANT });
      if (workflow === null) throw notFound('workflow', request.workflow_id);
      const { valid } = await ctx.call(
        'workflows.check_key',
        { id: workflow.id, key },
        { asServiceOf: workflow.tenant_id },
      );
      if (!valid) throw new AppError('unauthenticated', 'The key is not a live key of this workflow');
      return start(ctx, workflow, request, { type: 'api', trigger: runTrigger(request) }, wait ? until : null);
    },
  };

  /** When to answer whoever waits: what goes before the start takes its share of the request's time. */
  function answerBy(): number {
    return app.clock.now() + waitMs(app.config.requestTimeoutMs);
  }

  async function start(
    ctx: Receiving,
    workflow: Startable,
    request: InboundRequest,
    cause: { type: string; trigger: JsonObject },
    until: number | null,
  ): Promise<StartResult> {
    assertRunnable(workflow);
    if (workflow.secrets.length > 0) assertSecretsExist(await missingSecrets(ctx.call, workflow));
    const delivery = deliveryId(request.headers);
    const started = await startExecution(
      app,
      ctx.call,
      workflow.tenant_id,
      startParams(
        workflow,
        {
          ...cause,
          input: request.body,
          executionId:
            delivery === null
              ? undefined
              : derivedId(app.keys.ids, 'delivery', cause.type, workflow.id, delivery.header, delivery.value),
          requestId: ctx.requestId,
          waitMs: until === null ? undefined : Math.max(0, until - app.clock.now()),
        },
        app.clock.now(),
      ),
    );
    // A provider that sends an event again is answered as before, whatever it sends: an error would make it go on.
    if (delivery?.header === IDEMPOTENCY_KEY) assertSameInput(started, request.body);
    return started;
  }

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

/** The `trigger` root of a run that a webhook starts. */
export const webhookTrigger = (request: InboundRequest): JsonObject => ({
  body: request.body,
  headers: recordableHeaders(request.headers),
  query: request.query,
  method: request.method,
});

/** The `trigger` root of a run that `/run` starts: the body's own keys, and the whole as `body`. */
export const runTrigger = ({ body }: InboundRequest): JsonObject => ({ ...(isObject(body) ? body : {}), body });

function assertWebhookKey(workflow: Startable, headers: Readonly<Record<string, string>>): void {
  if (workflow.webhook_key_hash === null) return;
  const given = Object.hasOwn(headers, 'x-api-key') ? headers['x-api-key'] : undefined;
  if (given !== undefined && sameText(sha256(given), workflow.webhook_key_hash)) return;
  throw new AppError('unauthenticated', 'This webhook needs its key in the X-API-Key header');
}

const notFound = (what: string, id: string): AppError => new AppError('not_found', `There is no ${what} ${id}`);
