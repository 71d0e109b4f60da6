import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject, parseJsonOrUndefined } from '../../lib/json';
import { assertMaySendSecrets, resolveSecret, secretNamed } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 300;
const TOKEN = /^[\w:-]{1,200}$/;
const DEFAULT_MESSAGE = 'This is a test message of Everstep: the bot reaches this chat.';

/** Tests a bot token and a chat with the messenger's Bot API. Responses and errors never contain the token. */
export class BotMessenger {
  readonly #egress: Egress;

  constructor(private readonly app: App) {
    const { egressAllow, botMessenger } = app.config;
    this.#egress = createEgress({ allow: [...parseEgressAllow(egressAllow), ...botMessenger.rules] });
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** Sends a message. @throws AppError invalid_request when the provider rejects token or chat, provider_failed, unknown_secret */
  async test(ctx: ActionContext<'channels.test_bot'>): Promise<{ ok: true; message_id: number | null }> {
    const { bot_token, chat_id: chat } = ctx.params;
    const isSecret = [bot_token, String(chat)].map((text) => secretNamed(text) !== null);
    // With a bot or chat of its own, the caller could read the other secret's value.
    if (isSecret.includes(true) && isSecret.includes(false))
      await assertMaySendSecrets(ctx, 'name secrets in both "bot_token" and "chat_id", or in neither');
    const token = (await resolveSecret(bot_token, ctx)).trim();
    if (!TOKEN.test(token))
      throw new AppError('invalid_request', 'Invalid bot_token: a Telegram bot token looks like 123456:ABC-DEF');
    const chat_id = (await resolveSecret(String(chat), ctx)).trim();
    const { status, body } = await this.#send(token, { chat_id, text: ctx.params.message ?? DEFAULT_MESSAGE });
    const answer = parseJsonOrUndefined(body.toString());
    if (status === 200 && isObject(answer) && answer.ok === true) {
      const id = isObject(answer.result) ? answer.result.message_id : null;
      return { ok: true, message_id: typeof id === 'number' ? id : null };
    }
    throw providerError(status, answer, [token, ...(isSecret[1] === true ? [chat_id] : [])]);
  }

  async #send(token: string, message: object): Promise<{ status: number; body: Buffer }> {
    try {
      return await this.#egress.request({
        method: 'POST',
        url: `${this.app.config.botMessenger.url}/bot${token}/sendMessage`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(message),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        // The path contains the token, which must not reach another host.
        maxRedirects: 0,
      });
    } catch (fault) {
      // The egress client rejects with nothing else; its message contains the host at most.
      const text = redact([token], errorMessage(fault));
      throw new AppError('provider_failed', `Telegram cannot be reached: ${text}`, {}, { cause: fault });
    }
  }
}

/** The caller's fault when the provider rejects token or chat, else the provider's. */
function providerError(status: number, answer: unknown, secrets: readonly string[]): AppError {
  const reason = isObject(answer) && typeof answer.description === 'string' ? answer.description : `status ${status}`;
  const text = redact(secrets, reason).slice(0, MAX_MESSAGE_CHARS);
  // The Bot API answers 404 to a malformed token and 401 to an unknown one.
  if (status === 401 || status === 404)
    return new AppError('invalid_request', `Telegram rejects the bot_token: ${text}`);
  if (status === 400 || status === 403) return new AppError('invalid_request', `Telegram rejects the chat: ${text}`);
  return new AppError('provider_failed', `Telegram failed: ${text}`);
}

const redact = (secrets: readonly string[], text: string): string =>
  secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '***')), text);
