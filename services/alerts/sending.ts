import type { Call } from '../../contracts/catalogue';
import { type Egress, EgressError } from '../../lib/egress';
import { errorMessage } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { signedHeaders } from '../../lib/standard-webhook';
import type { App } from '../app';
import type { Channel } from './channels';
import { consoleOf } from './console';
import type { NotificationRecord } from './models';
import { bodyOf, type NoticeFacts } from './notices';

/** What became of an attempt. `later`: another may succeed; `open`: it is not over, and is looked at again. */
export type SendResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'open'; readonly error: string }
  | { readonly kind: 'later'; readonly error: string }
  | { readonly kind: 'failed'; readonly error: string };

const WEBHOOK_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** The call that does an action of a connector waits for it. */
const ACT_TIMEOUT_MS = 45_000;

/** Sends one notification through its channel. Never throws, and names no secret. */
export class NoticeSender {
  constructor(
    private readonly app: Pick<App, 'config' | 'keys' | 'mailer' | 'clock'>,
    private readonly egress: Pick<Egress, 'request'>,
    private readonly call: () => Call,
  ) {}

  async send(record: NotificationRecord, channel: Channel): Promise<SendResult> {
    try {
      switch (channel.kind) {
        case 'mail':
          return await this.#mail(record);
        case 'webhook':
          return await this.#webhook(record, channel);
        case 'connector':
          return await this.#act(record, channel);
      }
    } catch (fault) {
      return { kind: 'later', error: errorMessage(fault) };
    }
  }

  /** `Message-ID` is derived from the notification, so mailboxes that know it show a repetition once. */
  async #mail({ _id: id, target, subject, text }: NotificationRecord): Promise<SendResult> {
    const { mailer } = this.app;
    if (mailer === null) return { kind: 'failed', error: 'this installation has no mail server: set SMTP_URL' };
    await mailer.sendOnce({ to: target, subject, text: `${text}\n`, id });
    return { kind: 'sent' };
  }

  /** Signed as https://www.standardwebhooks.com says. */
  async #webhook(
    record: NotificationRecord,
    { url, secret }: Extract<Channel, { kind: 'webhook' }>,
  ): Promise<SendResult> {
    const { _id: id, tenant_id, facts } = record;
    const body = JSON.stringify(bodyOf(JSON.parse(facts) as NoticeFacts, id, tenant_id, consoleOf(this.app.config)));
    try {
      const { status } = await this.egress.request({
        method: 'POST',
        url,
        headers: signedHeaders(secret, id, body, this.app.clock.now()),
        body,
        timeoutMs: WEBHOOK_TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        maxRedirects: 0,
        idempotencyKey: id,
      });
      if (status >= 200 && status < 300) return { kind: 'sent' };
      const error = `the receiver answered ${status}`;
      const isFinal = status === 410 || (status >= 300 && status < 400);
      return { kind: isFinal ? 'failed' : 'later', error };
    } catch (fault) {
      if (!(fault instanceof EgressError)) throw fault;
      return { kind: fault.retryable ? 'later' : 'failed', error: fault.message };
    }
  }

  /** By a run whose id is derived from the notification and its failures: a repetition after a crash finds that run. */
  async #act(record: NotificationRecord, channel: Extract<Channel, { kind: 'connector' }>): Promise<SendResult> {
    const { _id: id, tenant_id: tenantId, failures, subject, text } = record;
    const asked = {
      execution_id: derivedId(this.app.keys.ids, 'alert action', id, String(failures)),
      ...actionOf(channel),
      trigger: { text: `${subject}\n${text}`, subject },
    };
    const options = { asServiceOf: tenantId, timeoutMs: ACT_TIMEOUT_MS };
    const { status, error } = await this.call()('workflows.act', asked, options);
    if (status === 'completed') return { kind: 'sent' };
    if (status === 'running') return { kind: 'open', error: 'the action has not ended; it may have been done' };
    return { kind: 'later', error: error ?? 'the action failed' };
  }
}

/** The step of an action. Its text comes from the trigger, so that nothing in it is an expression. */
export const actionOf = ({ action, connection, input, textField }: Extract<Channel, { kind: 'connector' }>) => ({
  type: action,
  config: { ...input, [textField]: '{{ trigger.text }}', ...(connection === null ? {} : { connection }) },
});
