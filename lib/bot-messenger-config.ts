import { type EgressRule, ruleOf } from './egress/rules';
import { isPlainUrl } from './plain-url';

/** Address of the Bot API. */
export interface BotMessengerConfig {
  readonly url: string;
  /** Egress rules that allow requests to a server set by the operator, even on a private network. */
  readonly rules: readonly EgressRule[];
}

const PRESET = 'https://api.telegram.org';

/** BOT_MESSENGER_URL of an environment; the preset is Telegram. Faults are added to the list. */
export function readBotMessenger(text: (name: string) => string | null, faults: string[]): BotMessengerConfig {
  const given = text('BOT_MESSENGER_URL')?.replace(/\/+$/, '') ?? null;
  if (given === null) return { url: PRESET, rules: [] };
  if (isPlainUrl(given)) return { url: given, rules: [ruleOf(given)] };
  faults.push(
    'BOT_MESSENGER_URL must be a URL without user name, query and fragment, such as https://api.telegram.org',
  );
  return { url: PRESET, rules: [] };
}
