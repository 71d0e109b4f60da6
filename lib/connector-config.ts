import { isPlainUrl } from './plain-url';

const NAME = /^CONNECTOR_([A-Z][A-Z0-9_]*)_URL$/;

/**
 * Reads CONNECTOR_<NAME>_URL: addresses of connector APIs that replace the defaults, by connector name
 * (`CONNECTOR_SUITE_MAIL_URL`: `suite-mail`), without a trailing slash. The bot messenger also uses BOT_MESSENGER_URL.
 * Adds faults to the list.
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
  // Its faults are reported where the service reads it.
  if (bots !== undefined && isPlainUrl(bots) && !urls.has('bot-messenger')) urls.set('bot-messenger', bare(bots));
  return urls;
}

const bare = (url: string): string => url.replace(/\/+$/, '');
