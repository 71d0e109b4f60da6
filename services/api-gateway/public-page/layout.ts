import { createHash } from 'node:crypto';
import type { Branding } from '../../../contracts/auth/branding';
import { brandPalette } from '../../../lib/brand-colors';

/** The colours, spacing and type of the console. */
const STYLE = `:root{color-scheme:light dark;--bg:#f7f7f9;--surface:#fff;--border:#e5e5ea;--control:#8a8a97;--text:#17171c;--muted:#52525e;--accent:#4458d8;--on:#fff;--line:#4458d8;--danger:#c62a33;--soft:#fdecec}
@media(prefers-color-scheme:dark){:root{--bg:#0c0d10;--surface:#131418;--border:#25262c;--control:#6d6e7a;--text:#ededf1;--muted:#abacb8;--accent:#5266e4;--line:#8292ff;--danger:#ff8a8d;--soft:#341719}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:14px/20px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{display:grid;gap:20px;width:min(520px,100% - 32px);margin:12vh auto 48px;padding:32px;border:1px solid var(--border);border-radius:10px;background:var(--surface)}
.brand{display:flex;align-items:center;gap:12px;width:min(520px,100% - 32px);margin:8vh auto 16px;font-weight:600;font-size:16px;line-height:24px;overflow-wrap:anywhere}
.brand img{flex:none;display:block;width:auto;height:auto;max-width:160px;max-height:40px}
.brand+main{margin-top:0}.brand.wide{margin-top:6vh}
.wide{margin-top:8vh;width:min(600px,100% - 32px)}
h1{margin:0;font-size:20px;line-height:28px;overflow-wrap:anywhere}
p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.muted,.hint{color:var(--muted)}.hint{font-size:12px;line-height:16px}
.question{font-size:16px;line-height:24px}
.fault{padding:12px;border-radius:6px;background:var(--soft);color:var(--danger)}
.fault ul{margin:4px 0 0;padding-left:20px}
.wrong{color:var(--danger);font-size:12px;line-height:16px;font-weight:500}
form,.field,fieldset{display:grid;gap:20px}.field,fieldset{gap:6px;min-width:0}
fieldset{margin:0;padding:0;border:0}legend{padding:0;margin-bottom:6px}
label,legend{font-weight:500;overflow-wrap:anywhere}.check{display:flex;gap:8px;align-items:center;min-height:24px}fieldset .check{font-weight:400}
.check input{flex:none;width:16px;height:16px;margin:0;accent-color:var(--accent)}
.needed{color:var(--muted);font-weight:400}
input:not([type=checkbox]),select,textarea{width:100%;min-height:40px;padding:8px 10px;border:1px solid var(--control);border-radius:6px;background:var(--surface);color:inherit;font:inherit}
[aria-invalid=true]{border-color:var(--danger)!important}
textarea{min-height:104px;resize:vertical}
.trap{position:absolute;left:-10000px;width:1px;height:1px;overflow:hidden}
.actions{display:flex;flex-wrap:wrap;gap:8px;justify-content:flex-end}
button{min-height:40px;padding:0 20px;border:1px solid var(--control);border-radius:6px;background:var(--surface);color:var(--text);font:inherit;font-weight:500;cursor:pointer}
.primary{border-color:var(--line);background:var(--accent);color:var(--on)}
a{color:inherit}
:focus-visible{outline:2px solid var(--line);outline-offset:2px}
@media(max-width:480px){main,.wide{margin-top:16px;padding:20px}.brand,.brand.wide{margin:16px auto 12px;padding:0 4px}button{flex:1}input:not([type=checkbox]),select,textarea{font-size:16px}}`;

const hashOf = (style: string): string => `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

const STYLE_HASH = hashOf(STYLE);

export const NO_BRANDING: Branding = { name: null, color: null, logo: null };

/** The colours of a workspace as values of the page's properties; empty without one. */
export function brandStyle({ color }: Branding): string {
  if (color === null) return '';
  const { fill, onFill, light, dark } = brandPalette(color);
  return `:root{--accent:${fill};--on:${onFill};--line:${light}}@media(prefers-color-scheme:dark){:root{--line:${dark}}}`;
}

/** What a page with the workspace's colours and logo may load beside its own. */
export function brandSources(branding: Branding): { readonly style: string; readonly image: string } {
  const style = brandStyle(branding);
  return { style: style === '' ? '' : ` ${hashOf(style)}`, image: branding.logo === null ? '' : "; img-src 'self'" };
}

/** `formTarget`: an origin where a sent form may be redirected to. */
export interface PageHeaders {
  readonly branding?: Branding;
  readonly formTarget?: string | null;
  /** Web sites that may show the page in a frame, as in the header. */
  readonly frameAncestors?: string;
}

/** The headers of a page without scripts. */
export function pageHeaders({
  branding = NO_BRANDING,
  formTarget = null,
  frameAncestors = "'none'",
}: PageHeaders = {}): Record<string, string> {
  const { style, image } = brandSources(branding);
  return {
    'Content-Security-Policy': `default-src 'none'; style-src ${STYLE_HASH}${style}${image}; form-action 'self'${formTarget === null ? '' : ` ${formTarget}`}; frame-ancestors ${frameAncestors}; base-uri 'none'`,
    'Referrer-Policy': 'no-referrer',
  };
}

interface Page {
  /** Plain text, as `content` is HTML. */
  readonly title: string;
  readonly content: string;
  readonly wide?: boolean;
  /** Loads the address after some seconds; absent address: this page again. */
  readonly refresh?: { readonly seconds: number; readonly url?: string };
}

/** A public page, which is written once it is known whose it is. */
export type PublicPage = (branding: Branding) => string;

/** The HTML of a public page. Runs no script. */
export const page =
  ({ title, content, wide = false, refresh }: Page): PublicPage =>
  (branding) => {
    const again =
      refresh === undefined
        ? ''
        : `<meta http-equiv="refresh" content="${refresh.seconds}${refresh.url === undefined ? '' : `;url=${escape(refresh.url)}`}">`;
    const own = brandStyle(branding);
    const size = wide ? ' wide' : '';
    return (
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${again}` +
      `<meta name="robots" content="noindex"><title>${escape(title)}</title><style>${STYLE}</style>${own === '' ? '' : `<style>${own}</style>`}</head>` +
      `<body>${brandHeader(branding, size)}<main${wide ? ' class="wide"' : ''}><h1>${escape(title)}</h1>${content}</main></body></html>`
    );
  };

function brandHeader(branding: Branding, size: string): string {
  const { name } = branding;
  const content = brandLogo(branding) + (name === null ? '' : `<span>${escape(name)}</span>`);
  return content === '' ? '' : `<header class="brand${size}">${content}</header>`;
}

/** The logo of a workspace as an image; empty without one. The name stands beside it, so that it needs no text then. */
export const brandLogo = ({ name, logo }: Branding): string =>
  logo === null
    ? ''
    : `<img src="${escape(logo.path)}" width="${logo.width}" height="${logo.height}" alt="${name === null ? 'Logo' : ''}">`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, also inside of quoted attributes. */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
