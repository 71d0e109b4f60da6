import { sameText, sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { type JsonObject, isObject } from '../../lib/json';
import { assertSameInput, waitMs } from '../../mixins/admission';
import { NO_TENANT } from '../../mixins/principal';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { StartResult } from '../executor/contract';
import type { Startable } from '../workflows/contract';
import type { InboundRequest, RawWanted } from './contract';
import { IDEMPOTENCY_KEY, deliveryId, recordableHeaders } from './headers';
import { rawBody } from './raw-body';
import type { Starting } from './starting';

type Receiving = Pick<ActionContext<'channels.webhook'>, 'call' | 'requestId'>;

/** Turns requests from outside into runs. A request is durable, as the run's own record, when this answers. */
export function receiving(app: App, { admit, start }: Starting) {
  return {
    /**
     * Asks for the bytes of the body where the workflow wants them and they are not there: hardly any does, and those of
     * all others need not be carried. @throws AppError not_found, unauthenticated, workflow_disabled, workflow_pending,
     * unknown_secret
     */
    async webhook(ctx: Receiving, request: InboundRequest, wait: boolean): Promise<StartResult | RawWanted> {
      const until = answerBy();
      const workflow = await ctx.call('workflows.startable', { id: request.workflow_id }, { asServiceOf: NO_TENANT });
      if (!workflow?.triggers.includes('http')) throw notFound('webhook', request.workflow_id);
      assertWebhookKey(workflow, request.headers);
      if (workflow.raw_body && request.raw === undefined) return { raw_wanted: true };
      const cause = { type: 'http', trigger: webhookTrigger(request, workflow.raw_body) };
      return begin(ctx, workflow, request, cause, wait ? until : null);
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
      return begin(ctx, workflow, request, { type: 'api', trigger: runTrigger(request) }, wait ? until : null);
    },
  };

  /** When to answer whoever waits: what goes before the start takes its share of the request's time. */
  function answerBy(): number {
    return app.clock.now() + waitMs(app.config.requestTimeoutMs);
  }

  async function begin(
    ctx: Receiving,
    workflow: Startable,
    request: InboundRequest,
    cause: { type: string; trigger: JsonObject },
    until: number | null,
  ): Promise<StartResult> {
    await admit(ctx.call, workflow);
    const delivery = deliveryId(request.headers);
    const started = await start(ctx, workflow, {
      ...cause,
      input: request.body,
      executionId:
        delivery === null
          ? undefined
          : derivedId(app.keys.ids, 'delivery', cause.type, workflow.id, delivery.header, delivery.value),
      waitMs: until === null ? undefined : Math.max(0, until - app.clock.now()),
    });
    // A provider that sends an event again is answered as before, whatever it sends: an error would make it go on.
    if (delivery?.header === IDEMPOTENCY_KEY) assertSameInput(started, request.body);
    return started;
  }
}

/** The `trigger` root of a run that a webhook starts; with the body as it came where that is wanted. */
export const webhookTrigger = (request: InboundRequest, raw: boolean): JsonObject => ({
  body: request.body,
  headers: recordableHeaders(request.headers),
  query: request.query,
  method: request.method,
  ...(raw ? rawBody(request.raw ?? '') : {}),
});

/** The `trigger` root of a run that `/run` starts: the body's own keys, and the whole as `body`. */
export const runTrigger = ({ body }: Pick<InboundRequest, 'body'>): JsonObject => ({
  ...(isObject(body) ? body : {}),
  body,
});

function assertWebhookKey(workflow: Startable, headers: Readonly<Record<string, string>>): void {
  if (workflow.webhook_key_hash === null) return;
  const given = Object.hasOwn(headers, 'x-api-key') ? headers['x-api-key'] : undefined;
  if (given !== undefined && sameText(sha256(given), workflow.webhook_key_hash)) return;
  throw new AppError('unauthenticated', 'This webhook needs its key in the X-API-Key header');
}

const notFound = (what: string, id: string): AppError => new AppError('not_found', `There is no ${what} ${id}`);
