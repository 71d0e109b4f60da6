import { createEgress, type Egress, parseEgressAllow } from '../../lib/egress';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject } from '../../lib/json';
import { resolveSecret } from '../../mixins/secret-reference';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 1024;
const LONGEST_WORDS = 300;
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
    const token = (await resolveSecret(ctx.params.bot_token, ctx)).trim();
    if (!TOKEN.test(token)) {
      throw new AppError('invalid_request', 'The bot_token is no token of a bot; it looks like 123456:ABC-DEF');
    }
    const chat_id = (await resolveSecret(String(ctx.params.chat_id), ctx)).trim();
    const { status, body } = await this.#send(token, { chat_id, text: ctx.params.message ?? MESSAGE });
    const answer = parsed(body);
    if (status === 200 && isObject(answer) && answer.ok === true) {
      const id = isObject(answer.result) ? answer.result.message_id : null;
      return { ok: true, message_id: typeof id === 'number' ? id : null };
    }
    throw refusal(status, answer, token);
  }

  async #send(token: string, message: object): Promise<{ status: number; body: Buffer }> {
    try {
      return await this.#egress.request({
        method: 'POST',
        url: `${this.app.config.botMessenger.url}/bot${token}/sendMessage`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(message),
        timeoutMs: TIMEOUT_MS,
        maxBytes: MOST_BYTES,
        // The token is in the path, and another host must not get it.
        maxRedirects: 0,
      });
    } catch (fault) {
      // The egress client rejects with nothing else; its words name the host at most.
      const words = without(token, errorMessage(fault));
      throw new AppError('provider_failed', `The messenger cannot be reached: ${words}`, {}, { cause: fault });
    }
  }
}

/** What a refusal says: the caller's fault when the provider says so of token or chat, else the provider's. */
function refusal(status: number, answer: unknown, token: string): AppError {
  const told = isObject(answer) && typeof answer.description === 'string' ? answer.description : `status ${status}`;
  const words = without(token, told).slice(0, LONGEST_WORDS);
  // The Bot API answers 404 to a token of a wrong shape, and 401 to one that is unknown.
  if (status === 401 || status === 404) return new AppError('invalid_request', `The bot_token is refused: ${words}`);
  if (status === 400 || status === 403) return new AppError('invalid_request', `The chat is refused: ${words}`);
  return new AppError('provider_failed', `The messenger failed: ${words}`);
}

const without = (token: string, words: string): string => words.replaceAll(token, '***');

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // Told by its status.
    return null;
  }
}
