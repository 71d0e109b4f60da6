import type { ChatRow } from '../api/client';

/** The line that shows a chat on another web site. `address`: of the chat's page. */
export function embedSnippet({ slug, url }: Pick<ChatRow, 'slug' | 'url'>, color: string | null): string {
  const own = color === null ? '' : ` data-color="${color}"`;
  return `<script src="${new URL('/widget.js', url).href}" data-chat="${slug}"${own} async></script>`;
}

/** What a site with a strict Content-Security-Policy has to allow for it. */
export const embedPolicy = ({ url }: Pick<ChatRow, 'url'>): string => {
  const { origin } = new URL(url);
  return `script-src ${origin}; frame-src ${origin}`;
};

/** The origins in a text, one a line; of whole addresses the origin. */
export const originsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .filter((word) => word !== '')
      // An incomplete one is for the server to refuse, which names the field.
      .map((word) => (URL.canParse(word) ? new URL(word).origin : word)),
  ),
];

type Fields = Readonly<Record<string, string>>;

/** The body of a request of what was filled in. */
export const chatBody = ({ title = '', greeting = '', origins = '', ...rest }: Fields) => ({
  title,
  greeting,
  input_field: rest.input_field || 'message',
  output_field: rest.output_field || 'text',
  allowed_origins: originsIn(origins),
  rate_limit: { per_minute: Number(rest.per_minute || 20), burst: Number(rest.burst || 10) },
});

export const sitesText = ({ allowed_origins: origins }: Pick<ChatRow, 'allowed_origins'>): string =>
  origins.length === 0 ? 'All' : origins.map((origin) => origin.replace(/^https:\/\//, '')).join(', ');
