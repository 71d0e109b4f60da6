import type { Branding } from '../../../contracts/auth/branding';
import type { ChatEndpoint } from '../../../contracts/channels/chat';
import { brandLogo, brandSources, brandStyle, escape } from './layout';

interface ChatPage {
  readonly slug: string;
  readonly config: ChatEndpoint['config'];
  readonly branding: Branding;
  /** Addresses of the files that the page loads. */
  readonly script: string;
  readonly styles: readonly string[];
}

/** The page of a chat. Its script reads the settings from the attributes of `main`, and adds the messages. */
export function chatPage({ slug, config, branding, script, styles }: ChatPage): string {
  const own = brandStyle(branding);
  const links = styles.map((href) => `<link rel="stylesheet" href="${escape(href)}">`).join('');
  const settings = { slug, input: config.input_field, greeting: config.greeting };
  const attributes = Object.entries(settings)
    .map(([name, value]) => ` data-${name}="${escape(value)}"`)
    .join('');
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">` +
    `<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escape(config.title)}</title>` +
    `${links}${own === '' ? '' : `<style>${own}</style>`}<script type="module" src="${escape(script)}"></script></head>` +
    `<body><header class="bar">${brandLogo(branding)}<div class="names">${branding.name === null ? '' : `<p>${escape(branding.name)}</p>`}<h1>${escape(config.title)}</h1></div><div class="tools" id="tools"></div></header>` +
    `<main id="chat"${attributes}><ol id="messages" aria-label="Conversation" tabindex="0"></ol>` +
    `<form id="send"><label class="hidden" for="text">Your message</label>` +
    `<textarea id="text" rows="1" maxlength="16000" placeholder="Write a message" enterkeyhint="send" autocomplete="off"></textarea>` +
    `<button type="submit">Send</button></form>` +
    `<noscript><p>This chat needs JavaScript: allow it for this page, and load the page again.</p></noscript></main>` +
    `<p class="hidden" id="status" role="status" aria-live="polite"></p></body></html>`
  );
}

/** Where a page may be shown in a frame: the web sites that may use the chat, or all. */
export const frameAncestors = (allowedOrigins: readonly string[]): string =>
  allowedOrigins.length === 0 ? '*' : allowedOrigins.join(' ');

/** The headers of the page of a chat: nothing but files of this host, and no text as HTML. */
export function chatHeaders(branding: Branding, allowedOrigins: readonly string[]): Record<string, string> {
  const { style, image } = brandSources(branding);
  return {
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src 'self'${style}${image}; connect-src 'self'; form-action 'none'; ` +
      `base-uri 'none'; frame-ancestors ${frameAncestors(allowedOrigins)}; require-trusted-types-for 'script'`,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  };
}
