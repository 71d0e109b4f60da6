import { controlsOf, type Shown } from './controls';
import type { FormField } from './fields';
import { escape, page, type PublicPage } from './layout';

/** The names of the controls that every form has beside its fields. */
export const PAGE_TOKEN = 'page';
/** A control that people do not see; programs that fill in everything give themselves away. */
export const TRAP = 'contact_me_by_fax';

interface FormPage {
  readonly title: string;
  readonly description: string;
  readonly submit: string;
  readonly fields: readonly FormField[];
  readonly token: string;
  readonly shown: Shown;
  /** A message about the form as a whole. */
  readonly message: string | null;
}

/** A form to be filled in. It is sent to the page's own address. */
export function formPage({ title, description, submit, fields, token, shown, message }: FormPage): PublicPage {
  const multipart = fields.some(({ control }) => control.kind === 'file') ? ' enctype="multipart/form-data"' : '';
  const content =
    summaryOf(fields, shown, message) +
    (description === '' ? '' : `<p>${escape(description)}</p>`) +
    `<form method="post"${multipart}><input type="hidden" name="${PAGE_TOKEN}" value="${escape(token)}">` +
    `<div class="trap" aria-hidden="true"><label for="trap">Leave this empty</label><input id="trap" name="${TRAP}" tabindex="-1" autocomplete="off"></div>` +
    controlsOf(fields, shown) +
    `<div class="actions"><button class="primary">${escape(submit)}</button></div></form>`;
  return page({ title, content, wide: true });
}

/** What is wrong, with links to the fields. */
function summaryOf(fields: readonly FormField[], { faults }: Shown, message: string | null): string {
  const links = fields.flatMap(({ name, label }, index) =>
    faults.has(name) ? [`<li><a href="#field-${index}">${escape(label)}</a></li>`] : [],
  );
  if (links.length === 0 && message === null) return '';
  const hasFiles = fields.some(({ control }) => control.kind === 'file');
  // Browsers send files again only when they are chosen again.
  const lead = `${message ?? 'Correct these fields and send the form again.'}${hasFiles ? ' Files have to be chosen again.' : ''}`;
  return `<div class="fault" role="alert">${escape(lead)}${links.length === 0 ? '' : `<ul>${links.join('')}</ul>`}</div>`;
}

/** After a form was sent. */
export const sentPage = (title: string, text: string): PublicPage =>
  page({ title, content: `<p class="question" role="status">${escape(text)}</p>`, wide: true });

/** After the run of a form has failed. The reason is not for the person who sent it. */
export const failedPage = (title: string): PublicPage =>
  closedPage(title, 'Your answers were received, but they could not be processed to the end.');

/** While the run goes on; loads itself again. */
export const workingPage = (
  title: string,
  refresh: { readonly seconds: number; readonly url: string } | null,
): PublicPage =>
  page({
    title,
    content:
      '<p role="status">Your answers are being processed. This page shows what follows as soon as it is there.</p><p class="muted"><a href="">Look again</a></p>',
    wide: true,
    ...(refresh === null ? {} : { refresh }),
  });

/** Leads to the address that the workflow names. */
export const leavingPage = (title: string, url: string): PublicPage =>
  page({
    title,
    content: `<p>Your answers were sent. <a href="${escape(url)}">Continue</a></p>`,
    wide: true,
    refresh: { seconds: 0, url },
  });

/** A form that cannot be shown or sent. `again`: a link to an empty form. */
export const closedPage = (title: string, text: string, again = false): PublicPage =>
  page({
    title,
    content: `<p class="fault" role="alert">${escape(text)}</p>${again ? '<p><a href="">Open the form again</a></p>' : ''}`,
    wide: true,
  });
