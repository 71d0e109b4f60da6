import { createHash } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import type { Model } from 'mongoose';
import { sameText, sha256 } from '../../lib/crypto';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { isObject, type JsonObject, parseJsonOrUndefined } from '../../lib/json';
import { VOICE_VARIABLES, type VoiceConfig } from '../../lib/voice-config';
import type { ActionContext } from '../../mixins/service';
import { isRefusal, type StartRun } from '../../mixins/start-run';
import type { App } from '../app';
import type { ProviderDelivery, VoiceOutcome } from '../../contracts/channels/views';
import type { DeliveryRecord } from './models';

const RETENTION_MS = 30 * 86_400_000;
const CLOCK_TOLERANCE_SECONDS = 60;
const TRIGGER = 'voice_event';

type Receiving = Pick<ActionContext<'channels.voice_event'>, 'call' | 'requestId' | 'params'>;
type Started = Pick<VoiceOutcome, 'outcome' | 'execution_id' | 'reason'>;

/** An event of a voice room. */
interface VoiceEvent {
  /** The provider's id of the event; the same in repeated deliveries. */
  readonly id: string;
  readonly event: string;
  readonly room: string | null;
  /** The tenant and workflow that created the room; null for other rooms. */
  readonly target: { readonly tenantId: string; readonly workflowId: string } | null;
  readonly body: JsonObject;
}

const ignored = (reason: string): Started => ({ outcome: 'ignored', reason, execution_id: null });

/**
 * Starts runs for events of voice rooms. An event is stored before it is answered, and starts one run although it may be
 * delivered repeatedly: the run's id is derived from the event's id. Retryable faults are returned as errors, so that the
 * provider sends the event again; permanent ones are stored with their reason and answered 200.
 */
export function voiceEvents(app: App, starts: StartRun, deliveries: Model<DeliveryRecord>) {
  /** @throws AppError provider_not_configured, unauthenticated, invalid_request, unavailable */
  return async function receive(ctx: Receiving): Promise<VoiceOutcome> {
    const event = await verified(ctx.params);
    const earlier = await store(event);
    if (earlier !== null) return earlier;
    const result = await start(ctx, event);
    const { outcome, reason, execution_id } = result;
    await deliveries.updateOne({ _id: keyOf(event) }, { $set: { outcome, reason, execution_id } }).exec();
    return { event: event.event, ...result };
  };

  async function verified({ headers, raw }: ProviderDelivery): Promise<VoiceEvent> {
    const { voice } = app.config;
    if (voice === null) {
      throw new AppError(
        'provider_not_configured',
        `The voice provider is not configured: the operator must set ${VOICE_VARIABLES.join(' and ')}`,
      );
    }
    const bytes = Buffer.from(raw, 'base64');
    if (!(await isVoiceSignature(headers.authorization, bytes, voice, app.clock.now()))) {
      throw new AppError('unauthenticated', 'The signature of this event is missing, wrong or too old');
    }
    const event = readVoiceEvent(bytes);
    if (event === null) throw new AppError('invalid_request', 'The body is not an event of a voice room');
    return event;
  }

  /** Stores the event. Returns the outcome of an event that was already processed, else null. */
  async function store(event: VoiceEvent): Promise<VoiceOutcome | null> {
    const now = app.clock.now();
    const record = {
      _id: keyOf(event),
      event: event.event,
      room: event.room,
      tenant_id: event.target?.tenantId ?? null,
      workflow_id: event.target?.workflowId ?? null,
      outcome: 'received' as const,
      reason: null,
      execution_id: null,
      received_at: new Date(now),
      expires_at: new Date(now + RETENTION_MS),
    };
    if ((await nullOnDuplicate(deliveries.create(record))) !== null) return null;
    const found = await deliveries.findById(keyOf(event)).lean<DeliveryRecord>().exec();
    if (found === null || found.outcome === 'received') return null;
    const { outcome, reason, execution_id } = found;
    return { event: event.event, outcome, reason, execution_id };
  }

  async function start(ctx: Receiving, event: VoiceEvent): Promise<Started> {
    if (event.target === null) return ignored('The room names no tenant and workflow');
    const { tenantId, workflowId } = event.target;
    const asService = { asServiceOf: tenantId };
    const workflow = await starts.find(ctx.call, workflowId);
    // A workflow of another tenant is treated as unknown.
    if (workflow === null || workflow.tenant_id !== tenantId) return ignored('The room names an unknown workflow');
    if (!workflow.triggers.includes(TRIGGER)) return ignored(`The workflow has no ${TRIGGER} trigger`);
    try {
      const { triggers } = await ctx.call('workflows.plan', { hash: workflow.plan_hash }, asService);
      if (!triggers.some((trigger) => subscribes(trigger, event.event)))
        return ignored(`The workflow does not subscribe to ${event.event}`);
      await starts.authorize(ctx.call, workflow);
      const { id } = await starts.start(ctx.call, workflow, {
        type: TRIGGER,
        trigger: { body: event.body },
        spread_body: true,
        executionId: derivedId(app.keys.ids, 'delivery', TRIGGER, workflow.id, event.id),
        requestId: ctx.requestId,
      });
      return { outcome: 'started', reason: null, execution_id: id };
    } catch (fault) {
      if (!isRefusal(fault)) throw fault;
      return { outcome: 'refused', reason: fault.message, execution_id: null };
    }
  }
}

const keyOf = ({ id }: VoiceEvent): string => `voice-provider:${id}`;

/** A trigger without a list of events subscribes to all. */
const subscribes = ({ type, config }: { type: string; config: object }, event: string): boolean =>
  type === TRIGGER && (!('events' in config) || (config.events as readonly string[]).includes(event));

/** Parses a body with a valid signature; null when it is not an event. Pure. */
function readVoiceEvent(raw: Buffer): VoiceEvent | null {
  const body = parseJsonOrUndefined(raw.toString('utf8'));
  if (!isObject(body) || typeof body.event !== 'string' || body.event === '') return null;
  const room = isObject(body.room) ? body.room : {};
  return {
    id: typeof body.id === 'string' && body.id !== '' ? body.id : sha256(raw),
    event: body.event,
    room: typeof room.name === 'string' ? room.name : null,
    target: targetOf(room.metadata),
    // Parsed JSON.
    body: body as JsonObject,
  };
}

/** Metadata is free text. Rooms that this service creates have JSON with tenant and workflow. */
function targetOf(metadata: unknown): VoiceEvent['target'] {
  const content = typeof metadata === 'string' ? parseJsonOrUndefined(metadata) : null;
  if (!isObject(content)) return null;
  const { tenant_id: tenantId, workflow_id: workflowId } = content;
  return typeof tenantId === 'string' && typeof workflowId === 'string' ? { tenantId, workflowId } : null;
}

/**
 * Verifies the provider's signature in an `Authorization` header: a JWT (HS256, signed with the API secret, issued by the
 * API key) whose claim `sha256` is the base64 digest of the body.
 */
async function isVoiceSignature(
  header: string | undefined,
  raw: Buffer,
  { apiKey, apiSecret }: VoiceConfig,
  nowMs: number,
): Promise<boolean> {
  if (header === undefined) return false;
  try {
    const { payload } = await jwtVerify(header.replace(/^bearer +/i, ''), Buffer.from(apiSecret), {
      algorithms: ['HS256'],
      issuer: apiKey,
      requiredClaims: ['exp', 'sha256'],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
    const digest = createHash('sha256').update(raw).digest('base64');
    return typeof payload.sha256 === 'string' && sameText(payload.sha256, digest);
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
