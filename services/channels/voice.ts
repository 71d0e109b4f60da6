import type { Model } from 'mongoose';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { VOICE_VARIABLES } from '../../lib/voice-config';
import type { ActionContext } from '../../mixins/service';
import { isRefusal, type StartRun } from '../../mixins/start-run';
import type { App } from '../app';
import type { ProviderDelivery, VoiceOutcome } from '../../contracts/channels/views';
import type { DeliveryRecord } from './models';
import { readVoiceEvent, type VoiceEvent } from './voice-event';
import { isVoiceSignature } from './voice-signature';

const KEPT_MS = 30 * 86_400_000;
const TRIGGER = 'voice_event';

type Receiving = Pick<ActionContext<'channels.voice_event'>, 'call' | 'requestId' | 'params'>;
type Started = Pick<VoiceOutcome, 'outcome' | 'execution_id' | 'reason'>;

const ignored = (reason: string): Started => ({ outcome: 'ignored', reason, execution_id: null });

/**
 * Turns events of voice rooms into runs. An event is on record before it is answered, and starts one run however often
 * it is sent: the run's id is made of the event's. What may pass (a database that is away) is an error, so that the
 * provider sends the event again; what will not pass is recorded with its reason and answered 200.
 */
export function voiceEvents(app: App, starts: StartRun, deliveries: Model<DeliveryRecord>) {
  /** @throws AppError provider_not_configured, unauthenticated, invalid_request, unavailable */
  return async function receive(ctx: Receiving): Promise<VoiceOutcome> {
    const event = await verified(ctx.params);
    const known = await record(event);
    if (known !== null) return known;
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
        `The voice provider is not configured: ${VOICE_VARIABLES.join(' and ')} are not set`,
      );
    }
    const bytes = Buffer.from(raw, 'base64');
    if (!(await isVoiceSignature(headers.authorization, bytes, voice, app.clock.now()))) {
      throw new AppError('unauthenticated', 'The signature of this event is missing, wrong or too old');
    }
    const event = readVoiceEvent(bytes);
    if (event === null) throw new AppError('invalid_request', 'The body is no event of a voice room');
    return event;
  }

  /** Stores the event; answers what became of it when it was there already and is done with. */
  async function record(event: VoiceEvent): Promise<VoiceOutcome | null> {
    const now = app.clock.now();
    try {
      await deliveries.create({
        _id: keyOf(event),
        event: event.event,
        room: event.room,
        tenant_id: event.target?.tenantId ?? null,
        workflow_id: event.target?.workflowId ?? null,
        outcome: 'received',
        reason: null,
        execution_id: null,
        received_at: new Date(now),
        expires_at: new Date(now + KEPT_MS),
      });
      return null;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
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
    // Of another tenant: as if there were none.
    if (workflow === null || workflow.tenant_id !== tenantId) return ignored('The room names an unknown workflow');
    if (!workflow.triggers.includes(TRIGGER)) return ignored(`The workflow has no ${TRIGGER} trigger`);
    try {
      const { triggers } = await ctx.call('workflows.plan', { hash: workflow.plan_hash }, asService);
      if (!triggers.some((trigger) => wants(trigger, event.event))) {
        return ignored(`The workflow does not listen to ${event.event}`);
      }
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

/** A trigger without a list of events listens to all. */
const wants = ({ type, config }: { type: string; config: object }, event: string): boolean =>
  type === TRIGGER && (!('events' in config) || (config.events as readonly string[]).includes(event));
