import { field } from '../auth';
import type { Connector, ConnectorAnswer, ConnectorFault } from '../contract';
import { isPassing } from '../http/fault';
import { Unusable } from '../unusable';
import { numberAt, objectAt, textAt } from '../values';
import { actions } from './actions';

const TOKEN = /^[\w:-]{1,200}$/;

/** A sentence, and how long to wait: this API tells both in the body. */
function fault({ status, body }: ConnectorAnswer): ConnectorFault | null {
  if (objectAt(body).ok !== false) return null;
  const code = numberAt(body, 'error_code') ?? status;
  const seconds = numberAt(body, 'parameters', 'retry_after');
  const moved = numberAt(body, 'parameters', 'migrate_to_chat_id');
  const words = textAt(body, 'description') ?? `error ${code}`;
  return {
    code: code === 429 ? 'rate_limited' : `error_${code}`,
    message: moved === undefined ? words : `${words}; the chat is now ${moved}`,
    retryable: isPassing(code),
    ...(seconds === undefined ? {} : { retryAfterMs: Math.min(Math.max(seconds, 0), 86_400) * 1_000 }),
  };
}

/** The Bot API of Telegram. The token is a part of the path. */
export const botMessenger: Connector = {
  name: 'bot-messenger',
  title: 'Bot messenger',
  description: 'Messages of a Telegram bot.',
  category: 'Communication',
  docs: 'https://core.telegram.org/bots/api',
  auth: {
    fields: [
      {
        name: 'bot_token',
        title: 'Bot token',
        description: 'As the provider gave it when the bot was made.',
        secret: true,
        required: true,
        example: '123456:ABC-DEF...',
      },
    ],
    required: true,
  },
  base: () => 'https://api.telegram.org',
  sign(request, account) {
    const token = field(account, 'bot_token').trim();
    if (!TOKEN.test(token))
      throw new Unusable('the "bot_token" of the connection is no token of a bot, as 123456:ABC-DEF');
    return { ...request, url: `/bot${token}${request.url}` };
  },
  fault,
  probe: { action: 'get_me', input: {} },
  actions,
};
