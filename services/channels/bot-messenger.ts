import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject } from '../../lib/json';
import { assertMaySendSecrets, resolveSecret, secretNamed } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_MESSAGE_CHARS = 300;
const TOKEN = /^[\w:-]{1,200}$/;
const MESSAGE = 'This is a test message of Everstep: the bot reaches this chat.';

type Testing = ActionContext<'channels.test_bot'>;

/** The Bot API of a messenger, as far as a test of a token and a chat needs it. The token is in no word that comes back. */
export class BotMessenger {
  readonly #egress: Egress;

  constructor(private readonly app: App) {
    const { egressAllow, botMessenger } = app.config;
    this.#egress = createEgress({ allow: [...parseEgressAllow(egressAllow), ...botMessenger.rules] });
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** Sends a message. @throws AppError invalid_request for what the provider refuses, provider_failed, unknown_secret */
  async test(ctx: Testing): Promise<{ ok: true; message_id: number | null }> {
    const { bot_token, chat_id: chat } = ctx.params;
    const named = [bot_token, String(chat)].map((text) => secretNamed(text) !== null);
    // With a bot or a chat of the caller's own, what the other one's secret is for is theirs.
    if (named.includes(true) && named.includes(false))
      await assertMaySendSecrets(ctx, 'name secrets in both "bot_token" and "chat_id", or in neither');
    const token = (await resolveSecret(bot_token, ctx)).trim();
    if (!TOKEN.test(token)) {
      throw new AppError('invalid_request', 'Invalid bot_token: a Telegram bot token looks like 123456:ABC-DEF');
    }
    const chat_id = (await resolveSecret(String(chat), ctx)).trim();
    const { status, body } = await this.#send(token, { chat_id, text: ctx.params.message ?? MESSAGE });
    const answer = parsed(body);
    if (status === 200 && isObject(answer) && answer.ok === true) {
      const id = isObject(answer.result) ? answer.result.message_id : null;
      return { ok: true, message_id: typeof id === 'number' ? id : null };
    }
    throw refusal(status, answer, [token, ...(named[1] === true ? [chat_id] : [])]);
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
        // The token is in the path, and another host must not get it.
        maxRedirects: 0,
      });
    } catch (fault) {
      // The egress client rejects with nothing else; its message contains the host at most.
      const text = without([token], errorMessage(fault));
      throw new AppError('provider_failed', `Telegram cannot be reached: ${text}`, {}, { cause: fault });
    }
  }
}

/** What a refusal says: the caller's fault when the provider says so of token or chat, else the provider's. */
function refusal(status: number, answer: unknown, secrets: readonly string[]): AppError {
  const reason = isObject(answer) && typeof answer.description === 'string' ? answer.description : `status ${status}`;
  const text = without(secrets, reason).slice(0, MAX_MESSAGE_CHARS);
  // The Bot API answers 404 to a token of a wrong shape, and 401 to one that is unknown.
  if (status === 401 || status === 404) return new AppError('invalid_request', `The bot_token is refused: ${text}`);
  if (status === 400 || status === 403) return new AppError('invalid_request', `The chat is refused: ${text}`);
  return new AppError('provider_failed', `Telegram failed: ${text}`);
}

const without = (secrets: readonly string[], text: string): string =>
  secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '***')), text);

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // The status tells the reason.
    return null;
  }
}
