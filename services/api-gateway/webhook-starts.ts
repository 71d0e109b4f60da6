import { deliveryId, IDEMPOTENCY_KEY } from '../../lib/delivery-headers';
import { AppError } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { maxWaitMs, type StartCause, StartRun } from '../../mixins/start-run';
import { WebhookChecks } from '../../mixins/webhooks/checks';
import { runCause, webhookCause, type WebhookRequest } from '../../mixins/webhooks/request';
import { TriggerSettings } from '../../mixins/webhooks/trigger-settings';
import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import type { StartResult } from '../../contracts/executions/views';
import type { StartSnapshot } from '../../contracts/workflows/views';
import { sameText, sha256 } from '../../lib/crypto';

/** @throws AppError unauthenticated when the webhook requires a key that the headers lack */
function assertWebhookKey(
  { webhook_key_hash: hash }: { readonly webhook_key_hash: string | null },
  headers: Readonly<Record<string, unknown>>,
): void {
  if (hash === null) return;
  const given = Object.hasOwn(headers, 'x-api-key') ? headers['x-api-key'] : undefined;
  if (typeof given === 'string' && sameText(sha256(given), hash)) return;
  throw new AppError('unauthenticated', 'Invalid or missing webhook key: send it in the X-API-Key header');
}

/** A request that may start a run. */
interface WebhookCall {
  readonly call: Call;
  readonly requestId: string;
  readonly workflowId: string;
  /** The workflow key of a request to `/run`; null for a webhook. */
  readonly key: string | null;
  /** Whether the caller waits for the run's end. */
  readonly waits: boolean;
}

type Repeat = Pick<StartCause, 'executionId' | 'same'>;

/** Starts workflows by webhooks and by workflow keys. A request is durable, as the run's own record, when it is answered. */
export class WebhookStarts {
  readonly starts: StartRun;
  readonly #settings: TriggerSettings;
  readonly #checks: WebhookChecks;

  constructor(private readonly app: App) {
    this.starts = new StartRun(app);
    this.#settings = new TriggerSettings(app);
    this.#checks = new WebhookChecks(app, this.#settings);
  }

  /** Drops what a pattern of `cache.stale` names. */
  forget(pattern: string): void {
    this.starts.forget(pattern);
    this.#settings.forget(pattern);
  }

  /** The workflow at a webhook's address. @throws AppError not_found unless it listens to webhooks */
  async webhookAt(call: Call, id: string): Promise<StartSnapshot> {
    const workflow = await this.starts.find(call, id);
    if (workflow?.triggers.includes('http')) return workflow;
    throw new AppError('not_found', 'There is no webhook at this address');
  }

  /**
   * The workflow that a request addresses, when it has the key. Whether the workflow may be started is decided with the start.
   * @throws AppError not_found, unauthenticated
   */
  async authenticated(
    { call, workflowId, key }: WebhookCall,
    headers: Readonly<Record<string, unknown>>,
  ): Promise<StartSnapshot> {
    if (key === null) {
      const workflow = await this.webhookAt(call, workflowId);
      assertWebhookKey(workflow, headers);
      return workflow;
    }
    const workflow = await this.starts.find(call, workflowId);
    if (workflow === null) throw new AppError('not_found', `There is no workflow ${workflowId}`);
    const asService = { asServiceOf: workflow.tenant_id };
    const { valid } = await call('workflows.check_key', { id: workflow.id, key }, asService);
    if (valid) return workflow;
    throw new AppError('unauthenticated', 'The key is not a live key of this workflow');
  }

  /**
   * Starts a run, once for all repeats of a delivery.
   * @throws AppError not_found, unauthenticated, provider_not_configured, workflow_disabled, workflow_pending,
   * unknown_secret, and what the start is refused for
   */
  async start(caller: WebhookCall, request: WebhookRequest): Promise<StartResult> {
    const { call, requestId, key, waits } = caller;
    const { clock, config } = this.app;
    // What comes before the start takes its share of the request's time.
    const until = clock.now() + maxWaitMs(config.requestTimeoutMs);
    const workflow = await this.authenticated(caller, request.headers);
    if (workflow.signed && key === null) await this.#checks.assertSigned(call, workflow, request);
    const cause = key === null ? webhookCause(request, workflow.raw_body) : runCause(request);
    const dedupe =
      workflow.dedupes && key === null ? await this.#checks.dedupeKey(call, workflow, cause.trigger) : null;
    await this.starts.authorize(call, workflow);
    return this.starts.start(call, workflow, {
      ...cause,
      ...this.#repeatOf(workflow, cause.type, dedupe, request),
      requestId,
      ...(waits ? { waitMs: Math.max(0, until - clock.now()) } : {}),
    });
  }

  /** The id that repeats of a delivery share, and what must be the same in them; a new run for a delivery without an id. */
  #repeatOf(workflow: StartSnapshot, type: string, dedupe: string | null, { headers }: WebhookRequest): Repeat {
    const idOf = (...parts: string[]): string => derivedId(this.app.keys.ids, 'delivery', type, workflow.id, ...parts);
    // What the author of the workflow says goes before what a header says. Where the webhook knows no sender, a value that
    // is easily guessed must not lead to the run of another one.
    if (dedupe !== null)
      return { executionId: idOf('dedupe', dedupe), ...(isOpenToAll(workflow) ? { same: 'request' } : {}) };
    const delivery = deliveryId(headers);
    if (delivery === null) return {};
    const { header, value } = delivery;
    // A provider that sends an event again is answered as before, whatever it sends: after an error it would go on sending.
    return { executionId: idOf(header, value), ...(header === IDEMPOTENCY_KEY ? { same: 'body' } : {}) };
  }
}

/** Whether a webhook asks its callers for neither a key nor a signature. */
const isOpenToAll = ({ signed, webhook_key_hash: key }: StartSnapshot): boolean => !signed && key === null;
