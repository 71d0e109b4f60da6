import { isPlainUrl } from './plain-url';

const NAME = /^CONNECTOR_([A-Z][A-Z0-9_]*)_URL$/;

/**
 * CONNECTOR_<NAME>_URL of an environment: where APIs of connectors are, instead of where they are known to be. By the
 * connector's name (`CONNECTOR_SUITE_MAIL_URL`: `suite-mail`), without a slash at the end. Where the bot messenger is may
 * be said for the whole service: BOT_MESSENGER_URL. Faults are added to the list.
 */
export function readConnectorUrls(
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): ReadonlyMap<string, string> {
  const urls = new Map<string, string>();
  for (const [variable, value] of Object.entries(env)) {
    const name = NAME.exec(variable)?.[1];
    if (name === undefined || value === undefined || value === '') continue;
    if (isPlainUrl(value)) urls.set(name.toLowerCase().replaceAll('_', '-'), bare(value));
    else
      faults.push(`${variable} must be a URL without user name, query and fragment, such as https://api.example.com`);
  }
  const bots = env.BOT_MESSENGER_URL;
  // What is wrong with it is told where the service reads it for itself.
  if (bots !== undefined && isPlainUrl(bots) && !urls.has('bot-messenger')) urls.set('bot-messenger', bare(bots));
  return urls;
}

const bare = (url: string): string => url.replace(/\/+$/, '');
