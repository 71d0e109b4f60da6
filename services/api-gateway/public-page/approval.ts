import type { Json } from '../../../lib/json';
import { controlsOf, EMPTY } from './controls';
import { formFields } from './fields';
import { escape, page as layout, type PublicPage } from './layout';

export type Decision = 'approve' | 'reject';

interface Question {
  readonly message: string;
  readonly form?: Json | undefined;
}

/** The question with its form, a comment and both decisions. Runs no script: the form goes to the page's own address. */
export function questionPage({ message, form }: Question, decision: Decision): PublicPage {
  const fields = formFields(form);
  const controls =
    fields === null
      ? form === null || form === undefined
        ? ''
        : labelled('form', 'Form', 'A JSON object.', '<textarea id="form" name="form" spellcheck="false"></textarea>')
      : controlsOf(fields, EMPTY);
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

const labelled = (id: string, label: string, hint: string, control: string): string =>
  `<div class="field"><label for="${id}">${escape(label)}</label>${control}${hintOf(id, hint)}</div>`;

const hintOf = (id: string, hint: string): string =>
  hint === '' ? '' : `<p class="hint" id="${id}-hint">${escape(hint)}</p>`;

export const signInPage = ({ id, step_id }: { readonly id: string; readonly step_id: string }): PublicPage =>
  page(
    'Sign in to decide',
    `<p>This approval names its approvers, so the link alone does not decide it. Sign in as one of them and decide in the <a href="/console/approvals">console</a>, or use the command line:</p><p><code>everstep approve ${escape(id)} ${escape(step_id)}</code></p>`,
  );

export const outcomePage = (decision: Decision): PublicPage =>
  page(
    decision === 'approve' ? 'Approved' : 'Rejected',
    '<p class="muted">The decision is recorded. You may close this page.</p>',
  );

export const decidedPage = (approved: boolean): PublicPage =>
  page('Already decided', `<p class="muted">This was ${approved ? 'approved' : 'rejected'} before.</p>`);

/** `decision`: of the link that leads back to the question; null where going back is of no use. */
export const faultPage = (message: string, decision: Decision | null): PublicPage =>
  page(
    'Not possible',
    `<p class="fault" role="alert">${escape(message)}</p>${decision === null ? '' : `<p><a href="?decision=${decision}">Back to the question</a></p>`}`,
  );

const page = (title: string, content: string): PublicPage => layout({ title, content });
