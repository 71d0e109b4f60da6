import type { ServerResponse } from 'node:http';
import { networkOf } from '../../../lib/client-network';
import { AppError, errorCode } from '../../../lib/errors';
import { formRunKey, readFormRunKey, readFormStepKey } from '../../../lib/form-page-key';
import type { Call, ResultOf } from '../../../contracts/catalogue';
import type { Branding } from '../../../contracts/auth/branding';
import type { WaitingForm } from '../../../contracts/executions/forms';
import type { Gateway } from '../gateway';
import { parseQuery, single } from '../http/query';
import { addressOf, type GatewayRequest } from '../http/request';
import type { Shown } from '../public-page/controls';
import { formFields } from '../public-page/fields';
import { closedPage, failedPage, formPage, sentPage, workingPage } from '../public-page/form';
import type { PublicPage } from '../public-page/layout';
import { sendPublicPage } from '../public-page/send';
import type { FormRoute } from '../routes/route';
import { storeFiles } from './files';
import { admitSubmission } from './limiter';
import { readPage } from './sent-page';
import { pageToken } from './tokens';
import { prefilled, shownOf } from './values';

export const CONFIRMATION = 'Your answers were received.';
/** How long a page waits for what follows before it is shown, and then until it looks again. */
export const WAIT_MS = 5_000;
const REFRESH_SECONDS = 2;
/** Refreshes of an open page before a person has to ask for one: some minutes. */
const MAX_REFRESHES = 60;

type FormRun = ResultOf<'executions.form_page'>;

interface Visit {
  readonly gateway: Gateway;
  readonly route: FormRoute;
  readonly call: Call;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
}

/** Sends a page of a run with the branding of its workspace. */
async function sendPage(
  { gateway, call, response }: Visit,
  { tenant_id }: Pick<FormRun, 'tenant_id'>,
  status: number,
  page: PublicPage,
): Promise<void> {
  sendPublicPage(response, { status, page, branding: await gateway.brandings.of(call, tenant_id) });
}

interface PageVisit extends Visit {
  readonly id: string;
  readonly run: FormRun;
  /** The address of what follows. */
  readonly next: string;
}

/** The next page of a run, after waiting for it. */
export const nextPage = ({ call, request }: Pick<Visit, 'call' | 'request'>, id: string): Promise<FormRun> =>
  call('executions.form_page', { id, wait_ms: request.method === 'POST' ? 0 : WAIT_MS });

/** The pages of runs that another trigger has started: that of one step by its link, and what follows it. */
export async function serveRunPages(visit: Visit, key: string): Promise<void> {
  const { gateway, route, call, request, response } = visit;
  const { ids } = gateway.app.keys;
  if (route.page === 'pages') {
    const id = readFormRunKey(ids, key);
    if (id === null) throw unknownPage();
    const run = await nextPage(visit, id);
    if (run.page !== null) return servePage({ ...visit, run, id, next: request.pathname });
    if (!run.may_continue) return sendPage(visit, run, 200, endPage(run));
    const branding = await gateway.brandings.of(call, run.tenant_id);
    return sendWorking(request, response, run.workflow_name, { branding });
  }
  const opened = readFormStepKey(ids, key);
  if (opened === null) throw unknownPage();
  const { executionId: id, question } = opened;
  const run = await call('executions.form_page', { id, question, wait_ms: 0 });
  const isLinkOnly = run.page?.access === 'link';
  const next = isLinkOnly ? `${request.pathname}?sent=1` : `/forms/runs/${formRunKey(ids, id)}`;
  if (run.page !== null) return servePage({ ...visit, run, id, next });
  return sendPage(visit, run, ...closedStep(run, single(parseQuery(request.search), 'sent') === '1'));
}

const unknownPage = (): AppError => new AppError('not_found', 'There is no such page');

/** The answer to a link whose step waits for nothing. `sent`: by this visitor. */
function closedStep(run: FormRun, sent: boolean): [status: number, page: PublicPage] {
  const title = run.workflow_name;
  if (run.is_answered && sent) return [200, sentPage(title, CONFIRMATION)];
  if (run.is_answered) return [410, closedPage('Already sent', 'This link was used already.')];
  if (run.status !== 'running') return [410, closedPage(title, 'This form is closed.')];
  return [404, closedPage(title, 'This form is not open yet, or no longer; try the link again later.')];
}

const endPage = ({ workflow_name: title, status }: FormRun): PublicPage =>
  status === 'failed' || status === 'cancelled' ? failedPage(title) : sentPage(title, CONFIRMATION);

/** A page that looks again by itself for some minutes, and then when the person asks it to. */
export function sendWorking(
  request: GatewayRequest,
  response: ServerResponse,
  title: string,
  about: { readonly branding: Branding; readonly formTarget?: string | null },
): void {
  const given = Number(single(parseQuery(request.search), 'n') ?? '0');
  const count = Number.isInteger(given) && given >= 0 ? given : MAX_REFRESHES;
  const refresh = count < MAX_REFRESHES ? { seconds: REFRESH_SECONDS, url: `?n=${count + 1}` } : null;
  sendPublicPage(response, { status: 200, page: workingPage(title, refresh), ...about });
}

export const sendOn = (response: ServerResponse, next: string): void =>
  void response.writeHead(303, { Location: next, 'Content-Length': '0', 'Referrer-Policy': 'no-referrer' }).end();

/** Shows the form that a run waits for, or takes its answers. */
export async function servePage(visit: PageVisit): Promise<void> {
  const { gateway, request, run, id } = visit;
  const form = run.page as WaitingForm;
  const subject = `${id}:${form.question}`;
  if (request.method === 'POST') return receive(visit, form, subject);
  const token = pageToken(gateway.app.keys.ids, subject, gateway.app.clock.now());
  return sendForm(visit, form, {
    status: 200,
    token,
    shown: prefilled(formFields(form.fields) ?? [], {}),
    message: null,
  });
}

async function receive(visit: PageVisit, form: WaitingForm, subject: string): Promise<void> {
  const { gateway, route, call, request, response, run, id, next } = visit;
  const { app } = gateway;
  await admitSubmission(gateway.buckets, run.workflow_id, networkOf(addressOf(request)).network, app.clock.now());
  const fields = formFields(form.fields) ?? [];
  const { submission, token, nonce, filled, message } = await readPage(gateway, route, request, response, {
    tenantId: run.tenant_id,
    subject,
    schema: form.fields,
    fields,
    // Files of another page of the same form are not replaced.
    folder: (unique) => `form/${form.question.replace('#', '-')}-${unique.slice(-SUFFIX_CHARS)}`,
  });
  // Sent twice, and the run has gone on: the page that it waits for now is another one.
  if (nonce === null && route.page !== 'step') return sendOn(response, request.pathname);
  if (nonce === null || message !== null || filled.faults.size > 0)
    return sendForm(visit, form, { status: 422, token, shown: shownOf(submission, filled.faults), message });
  await storeFiles(call, { tenantId: run.tenant_id, workflowId: run.workflow_id, executionId: id }, filled.files);
  try {
    await call('executions.submit_form', { id, question: form.question, values: filled.values });
  } catch (fault) {
    if (errorCode(fault) !== 'conflict' && errorCode(fault) !== 'execution_ended') throw fault;
    const closed = closedPage('Already sent', 'This form was sent before, or is closed; its answers are not changed.');
    return sendPage(visit, run, 409, closed);
  }
  sendOn(response, next);
}

/** Of the id of a page, in the name of a folder. */
const SUFFIX_CHARS = 12;

interface ShownForm {
  readonly status: number;
  readonly token: string;
  readonly shown: Shown;
  readonly message: string | null;
}

function sendForm(visit: PageVisit, form: WaitingForm, about: ShownForm): Promise<void> {
  const { run } = visit;
  const { status, token, shown, message } = about;
  const { title, description, submit } = form;
  const page = formPage({
    title: title === '' ? run.workflow_name : title,
    description,
    submit: submit === '' ? 'Continue' : submit,
    fields: formFields(form.fields) ?? [],
    token,
    shown,
    message,
  });
  return sendPage(visit, run, status, page);
}
