import { createHash } from 'node:crypto';
import type { Json } from '../../../lib/json';
import { type FormField, formFields } from './fields';

export type Decision = 'approve' | 'reject';

/** The colours, spacing and type of the console. */
const STYLE = `:root{color-scheme:light dark;--bg:#f7f7f9;--surface:#fff;--border:#e5e5ea;--control:#8a8a97;--text:#17171c;--muted:#52525e;--accent:#4458d8;--on:#fff;--danger:#c62a33;--soft:#fdecec}
@media(prefers-color-scheme:dark){:root{--bg:#0c0d10;--surface:#131418;--border:#25262c;--control:#6d6e7a;--text:#ededf1;--muted:#abacb8;--accent:#5266e4;--danger:#ff8a8d;--soft:#341719}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:14px/20px system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{display:grid;gap:20px;width:min(520px,100% - 32px);margin:12vh auto 48px;padding:32px;border:1px solid var(--border);border-radius:10px;background:var(--surface)}
h1{margin:0;font-size:20px;line-height:28px}
p{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
.muted,.hint{color:var(--muted)}.hint{font-size:12px;line-height:16px}
.question{font-size:16px;line-height:24px}
.fault{padding:12px;border-radius:6px;background:var(--soft);color:var(--danger)}
form,.field{display:grid;gap:16px}.field{gap:6px}
label{font-weight:500}.check{display:flex;gap:8px;align-items:center}
input:not([type=checkbox]),select,textarea{width:100%;min-height:36px;padding:6px 10px;border:1px solid var(--control);border-radius:6px;background:var(--surface);color:inherit;font:inherit}
textarea{min-height:88px;resize:vertical}
.actions{display:flex;flex-wrap:wrap;gap:8px;justify-content:flex-end}
button{min-height:36px;padding:0 20px;border:1px solid var(--control);border-radius:6px;background:var(--surface);color:var(--text);font:inherit;font-weight:500;cursor:pointer}
.primary{border-color:var(--accent);background:var(--accent);color:var(--on)}
a{color:inherit}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:480px){main{margin-top:16px;padding:20px}button{flex:1}}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

export const PAGE_HEADERS = {
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Referrer-Policy': 'no-referrer',
};

interface Question {
  readonly message: string;
  readonly form?: Json | undefined;
}

/** The question with its form, a comment and both decisions. Runs no script: the form goes to the page's own address. */
export function questionPage({ message, form }: Question, decision: Decision): string {
  const fields = formFields(form);
  const controls =
    fields === null
      ? form === null || form === undefined
        ? ''
        : labelled('form', 'Form', 'A JSON object.', '<textarea id="form" name="form" spellcheck="false"></textarea>')
      : fields.map(controlOf).join('');
  return page(
    decision === 'approve' ? 'Approve?' : 'Reject?',
    `<p class="question">${escape(message)}</p><form method="get"><input type="hidden" name="confirm" value="1">${controls}` +
      labelled('comment', 'Comment', '', '<input id="comment" name="comment" maxlength="1000" autocomplete="off">') +
      `<div class="actions">${button('reject', decision)}${button('approve', decision)}</div></form>`,
  );
}

/** The decision of the link is the main one; a rejection needs no form. */
const button = (of: Decision, main: Decision): string =>
  `<button name="decision" value="${of}"${of === main ? ' class="primary"' : ''}${of === 'reject' ? ' formnovalidate' : ''}>${of === 'approve' ? 'Approve' : 'Reject'}</button>`;

function controlOf({ name, label, hint, required, control }: FormField, index: number): string {
  const id = `field-${index}`;
  const common = `id="${id}" name="field.${escape(name)}"${hint === '' ? '' : ` aria-describedby="${id}-hint"`}`;
  const needed = required ? ' required' : '';
  if (control === 'check')
    return `<div class="field"><label class="check"><input type="checkbox" ${common} value="1">${escape(label)}</label>${hintOf(id, hint)}</div>`;
  if (typeof control === 'object') {
    const options = control.options.map((option, at) => {
      const text = typeof option === 'string' ? option : JSON.stringify(option);
      return `<option value="${at}">${escape(text)}</option>`;
    });
    return labelled(
      id,
      label,
      hint,
      `<select ${common}${needed}><option value=""></option>${options.join('')}</select>`,
    );
  }
  const input =
    control === 'line' || control === 'number'
      ? `<input ${common}${control === 'number' ? ' type="number" step="any"' : ''}${needed} autocomplete="off">`
      : `<textarea ${common}${needed}></textarea>`;
  return labelled(id, label, control === 'json' && hint === '' ? 'JSON.' : hint, input);
}

const labelled = (id: string, label: string, hint: string, control: string): string =>
  `<div class="field"><label for="${id}">${escape(label)}</label>${control}${hintOf(id, hint)}</div>`;

const hintOf = (id: string, hint: string): string =>
  hint === '' ? '' : `<p class="hint" id="${id}-hint">${escape(hint)}</p>`;

export const signInPage = ({ id, step_id }: { readonly id: string; readonly step_id: string }): string =>
  page(
    'Sign in to decide',
    `<p>This approval names its approvers, so the link alone does not decide it. Sign in as one of them and decide in the <a href="/console/approvals">console</a>, or use the command line:</p><p><code>everstep approve ${escape(id)} ${escape(step_id)}</code></p>`,
  );

export const outcomePage = (decision: Decision): string =>
  page(
    decision === 'approve' ? 'Approved' : 'Rejected',
    '<p class="muted">The decision is recorded. You may close this page.</p>',
  );

export const decidedPage = (approved: boolean): string =>
  page('Already decided', `<p class="muted">This was ${approved ? 'approved' : 'rejected'} before.</p>`);

/** `decision`: of the link that leads back to the question; null where going back is of no use. */
export const faultPage = (message: string, decision: Decision | null): string =>
  page(
    'Not possible',
    `<p class="fault" role="alert">${escape(message)}</p>${decision === null ? '' : `<p><a href="?decision=${decision}">Back to the question</a></p>`}`,
  );

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>${content}</main></body></html>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
