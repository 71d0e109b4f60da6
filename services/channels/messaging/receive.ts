import { sameText } from '../../../lib/crypto';
import { allSettledInBatches } from '../../../lib/batches';
import { AppError, errorMessage } from '../../../lib/errors';
import { parseForm } from '../../../lib/http-body/form';
import { derivedId } from '../../../lib/ids';
import type { MessagingChannel } from '../../../lib/messaging-config';
import type { ActionContext } from '../../../mixins/service';
import { isRefusal, type StartRun } from '../../../mixins/start-run';
import type { TriggerSettings } from '../../../mixins/webhooks/trigger-settings';
import type { App } from '../../app';
import type { Call } from '../../../contracts/catalogue';
import type { StartSnapshot } from '../../../contracts/workflows/views';
import type {
  MessagingDelivery,
  MessagingFormat,
  MessagingOutcome,
  MessageOutcome,
} from '../../../contracts/channels/views';
import { ChannelKeys } from './keys';
import { causeOfMessage, formatOf, incomingOf } from './incoming';
import type { Incoming } from './message';
import { isFormSignature, isHubSignature } from './signatures';

const MAX_CONCURRENT_STARTS = 20;

type ReceiveContext = Pick<ActionContext<'channels.message'>, 'call' | 'requestId'>;
type Message = Extract<Incoming, { kind: 'message' }>;

/**
 * Starts runs for messages. The provider's signature is verified before the body is parsed. Each message starts one run
 * although it may be delivered repeatedly: the run's id is derived from the message's id.
 */
export function messaging(app: App, starts: StartRun, settings: TriggerSettings) {
  const keys = new ChannelKeys(app, settings);

  /** @throws AppError not_found */
  async function listener(call: Call, id: string, channel: MessagingChannel): Promise<StartSnapshot> {
    const workflow = await starts.find(call, id);
    if (workflow?.triggers.includes(channel)) return workflow;
    throw new AppError('not_found', `There is no ${channel} webhook at this address`);
  }

  /**
   * Starts a run for each message. Refused starts are in the outcomes. After a retryable fault the other messages are
   * started first, then it is thrown, so that the provider sends the request again. @throws AppError unavailable
   */
  async function startAll(
    { call, requestId }: ReceiveContext,
    workflow: StartSnapshot,
    channel: MessagingChannel,
    messages: readonly Message[],
  ): Promise<MessageOutcome[]> {
    const outcomes: MessageOutcome[] = [];
    let retryable: unknown = null;
    const results = await allSettledInBatches(messages, MAX_CONCURRENT_STARTS, (each) =>
      starts.start(call, workflow, {
        ...causeOfMessage(channel, each),
        requestId,
        executionId: derivedId(app.keys.ids, 'delivery', channel, workflow.id, each.message.id),
      }),
    );
    for (const [index, result] of results.entries()) {
      const { id } = (messages[index] as Message).message;
      if (result.status === 'fulfilled') {
        const outcome = result.value.replayed ? 'replayed' : 'started';
        outcomes.push({ id, outcome, reason: null, execution_id: result.value.id });
      } else if (isRefusal(result.reason)) {
        outcomes.push({ id, outcome: 'refused', reason: result.reason.message, execution_id: null });
      } else retryable ??= result.reason;
    }
    if (retryable === null) return outcomes;
    const message = `Some messages were not started and must be sent again: ${errorMessage(retryable)}`;
    throw new AppError('unavailable', message, undefined, { cause: retryable });
  }

  /** @throws AppError unauthenticated, provider_not_configured, invalid_request */
  async function assertSigned(
    call: Call,
    workflow: StartSnapshot,
    { channel, headers, url }: MessagingDelivery,
    format: MessagingFormat,
    raw: Buffer,
  ): Promise<void> {
    const formSignatures = async (tokens: readonly string[]): Promise<boolean[]> => {
      const fields = await parseForm(raw, null);
      return tokens.map((token) => isFormSignature(headers['x-twilio-signature'], url, fields, token));
    };
    const signed =
      format === 'json'
        ? (await keys.of(call, workflow, channel, 'appSecret')).map((secret) =>
            isHubSignature(headers['x-hub-signature-256'], raw, secret),
          )
        : await formSignatures(await keys.of(call, workflow, channel, 'authToken'));
    if (signed.includes(true)) return;
    throw new AppError('unauthenticated', 'The signature of this message is missing or wrong');
  }

  return {
    /** Answers the provider's verification challenge. @throws AppError not_found, forbidden, provider_not_configured */
    async verify(ctx: ActionContext<'channels.verify_messaging'>): Promise<{ challenge: string }> {
      const { workflow_id, channel, mode, token, challenge } = ctx.params;
      const workflow = await listener(ctx.call, workflow_id, channel);
      const known = await keys.of(ctx.call, workflow, channel, 'verifyToken');
      const matches = known.map((each) => sameText(token, each)).includes(true);
      if (mode !== 'subscribe' || !matches)
        throw new AppError('forbidden', 'The verification requires hub.mode=subscribe and the verify token');
      return { challenge };
    },

    /**
     * The signature is verified before any response that depends on the workflow.
     * @throws AppError not_found, unauthenticated, provider_not_configured, unsupported_media_type, invalid_json,
     * invalid_request, payload_too_large, workflow_disabled, workflow_pending, unknown_secret, unavailable
     */
    async receive(ctx: ReceiveContext & { params: MessagingDelivery }): Promise<MessagingOutcome> {
      const { channel, headers, raw, workflow_id } = ctx.params;
      const workflow = await listener(ctx.call, workflow_id, channel);
      const format = formatOf(channel, headers['content-type']);
      const bytes = Buffer.from(raw, 'base64');
      await assertSigned(ctx.call, workflow, ctx.params, format, bytes);
      const incoming = await incomingOf(channel, format, bytes, app.clock.now());
      const messages = incoming.filter((each) => each.kind === 'message');
      const others = incoming.flatMap((each) => (each.kind === 'ignored' ? [each.what] : []));
      if (messages.length > 0) await starts.authorize(ctx.call, workflow);
      const data = await startAll(ctx, workflow, channel, messages);
      return { format, data, ignored: [...new Set(others)] };
    },
  };
}
