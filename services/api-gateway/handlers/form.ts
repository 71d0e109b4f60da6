import type { ServerResponse } from 'node:http';
import { networkOf } from '../../../lib/client-network';
import { AppError, errorCode } from '../../../lib/errors';
import { readFormLink } from '../../../lib/form-link';
import { derivedId } from '../../../lib/ids';
import { namesOutput, outputText } from '../../../lib/output-text';
import type { Call } from '../../../contracts/catalogue';
import type { Branding } from '../../../contracts/auth/branding';
import type { StartResult } from '../../../contracts/executions/views';
import { assertStartable, isRefusal } from '../../../mixins/start-run';
import { storeFiles } from '../forms/files';
import type { PublicForm } from '../forms/definition';
import { admitSubmission } from '../forms/limiter';

import { CONFIRMATION, nextPage, sendOn, sendWorking, servePage, serveRunPages, WAIT_MS } from '../forms/run-pages';
import { readPage } from '../forms/sent-page';
import { pageToken, readRunKey, runKey } from '../forms/tokens';
import { faultsByField, type Filled, prefilled, shownOf } from '../forms/values';
import type { Gateway } from '../gateway';
import { errorAnswer } from '../http/error-answer';
import { parseQuery, single } from '../http/query';
import { addressOf, type GatewayRequest } from '../http/request';
import type { Submission } from '../http/sent-form';
import type { Shown } from '../public-page/controls';
import { closedPage, failedPage, formPage, leavingPage, sentPage } from '../public-page/form';
import { NO_BRANDING, type PublicPage } from '../public-page/layout';
import { sendPublicPage } from '../public-page/send';
import type { FormRoute } from '../routes/route';

/** A request for a page of a form. */
interface Visit {
  readonly gateway: Gateway;
  readonly route: FormRoute;
  readonly call: Call;
  readonly form: PublicForm;
  readonly branding: Branding;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
}

/** Serves the pages of forms: HTML for people, without scripts. */
export async function serveForm(
  gateway: Gateway,
  route: FormRoute,
  path: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  let branding = NO_BRANDING;
  try {
    const call = gateway.caller(request);
    if (route.page === 'step' || route.page === 'pages')
      return await serveRunPages({ gateway, route, call, request, response }, path.key as string);
    const form = await gateway.forms.at(call, path.form as string);
    branding = await gateway.brandings.of(call, form.workflow.tenant_id);
    const visit = { gateway, route, call, form, branding, request, response };
    if (route.page === 'run') await serveRun(visit, path.run as string);
    else if (request.method === 'POST') await receive(visit);
    else await show(visit);
  } catch (error) {
    const answer = errorAnswer(error, request.requestId, 'public');
    if (answer.code === 'internal') throw error;
    const page = closedPage(...closedText(error));
    sendPublicPage(response, { status: answer.status, page, branding, headers: answer.headers });
  }
}

/** Messages that people who fill in forms are shown as they are. */
const SHOWN_CODES: ReadonlySet<string> = new Set([
  'invalid_request',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'not_found',
]);
const CLOSED: ReadonlySet<string> = new Set(['workflow_disabled', 'workflow_pending']);

function closedText(error: unknown): [title: string, text: string] {
  const code = errorCode(error) ?? '';
  if (CLOSED.has(code)) return ['Closed', 'This form takes no answers at the moment.'];
  if (code === 'start_limited') return ['Not sent', 'Too many forms were sent; try again later.'];
  if (SHOWN_CODES.has(code)) return ['Not possible', (error as Error).message];
  return ['Not sent', 'This form cannot take your answers at the moment; try again later.'];
}

/** The link that the form was opened by; null without one. @throws AppError not_found */
function linkOf({ gateway, form, request }: Visit) {
  const token = single(parseQuery(request.search), 'link');
  const { app } = gateway;
  if (token === undefined) {
    if (form.linksOnly) throw new AppError('not_found', 'This form is opened by a personal link only');
    return null;
  }
  const link = readFormLink(app.keys.ids, form.workflow.id, token, app.clock.now());
  if (link !== null) return link;
  throw new AppError('not_found', 'This link is invalid or has expired; ask for a new one');
}

/** The run of a link; of a page without a link, the run that is derived from the page. */
const executionOf = ({ gateway, form }: Visit, kind: 'link' | 'page', nonce: string): string =>
  derivedId(gateway.app.keys.ids, `form ${kind}`, form.workflow.id, nonce);

async function show(visit: Visit): Promise<void> {
  const { gateway, form } = visit;
  const link = linkOf(visit);
  assertStartable(form.workflow);
  if (link !== null && (await exists(visit, executionOf(visit, 'link', link.nonce)))) return sendUsed(visit);
  const token = pageToken(gateway.app.keys.ids, form.workflow.id, gateway.app.clock.now());
  sendForm(visit, 200, token, prefilled(form.fields, link?.values ?? {}), null);
}

const sendUsed = ({ response, branding }: Visit): void =>
  sendPublicPage(response, { status: 410, page: closedPage('Already sent', 'This link was used already.'), branding });

async function exists({ call, form }: Visit, executionId: string): Promise<boolean> {
  const asService = { asServiceOf: form.workflow.tenant_id };
  const { data } = await call('executions.statuses', { ids: [executionId] }, asService);
  return data.length > 0;
}

async function receive(visit: Visit): Promise<void> {
  const { gateway, route, form, request, response } = visit;
  const { app } = gateway;
  const { id } = form.workflow;
  await admitSubmission(gateway.buckets, id, networkOf(addressOf(request)).network, app.clock.now());
  const link = linkOf(visit);
  assertStartable(form.workflow);
  const { submission, token, nonce, filled, message } = await readPage(gateway, route, request, response, {
    tenantId: form.workflow.tenant_id,
    subject: id,
    schema: form.inputs,
    fields: form.fields,
    folder: () => 'form',
  });
  if (nonce === null || message !== null || filled.faults.size > 0)
    return sendForm(visit, 422, token, shownOf(submission, filled.faults), message);
  const executionId = executionOf(visit, link === null ? 'page' : 'link', link?.nonce ?? nonce);
  const known = await exists(visit, executionId);
  if (known && link !== null) return sendUsed(visit);
  await start(visit, { executionId, isKnown: known, token, submission, filled });
}

interface Sending {
  readonly executionId: string;
  /** The same page was sent before. */
  readonly isKnown: boolean;
  readonly token: string;
  readonly submission: Submission;
  readonly filled: Filled;
}

const SENT_BEFORE = closedPage(
  'Already sent',
  'These answers were sent before; they are not changed. Open the form again to send other ones.',
  true,
);

/** Starts the run of a form, once however often it is sent. */
async function start(visit: Visit, { executionId, isKnown, token, submission, filled }: Sending): Promise<void> {
  const { gateway, call, form, branding, request, response } = visit;
  const { workflow, fields } = form;
  const { starts } = gateway.webhooks;
  const run = { tenantId: workflow.tenant_id, workflowId: workflow.id, executionId };
  try {
    await starts.authorize(call, workflow);
    // Files of a run that exists are not replaced.
    if (!isKnown) await storeFiles(call, run, filled.files);
    await starts.start(call, workflow, {
      type: 'form',
      trigger: { body: filled.values },
      spread_body: true,
      executionId,
      same: 'body',
      requestId: request.requestId,
    });
  } catch (fault) {
    const code = errorCode(fault);
    if (code === 'idempotency_mismatch') return sendPublicPage(response, { status: 409, page: SENT_BEFORE, branding });
    // After another fault the run may exist, and then has its files.
    if (!isKnown && filled.files.length > 0 && isRefusal(fault))
      await call('files.remove', { execution_ids: [executionId] }, { asServiceOf: workflow.tenant_id });
    if (code !== 'invalid_input') throw fault;
    const { details = [] } = (fault as AppError).data;
    return sendForm(visit, 422, token, shownOf(submission, faultsByField(fields, details)), null);
  }
  const next =
    form.redirect !== null && !form.hasPages
      ? form.redirect
      : `${request.pathname}/runs/${runKey(gateway.app.keys.ids, workflow.id, executionId)}`;
  sendOn(response, next);
}

/** What follows for the person who sent the form: its next page, or what its run has come to. */
async function serveRun(visit: Visit, key: string): Promise<void> {
  const { gateway, route, call, form, request, response } = visit;
  const { workflow } = form;
  const about = aboutOf(visit);
  const id = readRunKey(gateway.app.keys.ids, workflow.id, key);
  if (id === null) throw new AppError('not_found', 'There is no such page');
  if (form.hasPages) {
    const run = await nextPage(visit, id);
    if (run.page !== null)
      return servePage({ gateway, route, call, request, response, run, id, next: request.pathname });
    if (run.may_continue) return sendWorking(request, response, titleOf(form), about);
  }
  const isWaiting = form.confirmation !== null && namesOutput(form.confirmation);
  const run = await call(
    'executions.settled',
    { id, wait_ms: isWaiting ? WAIT_MS : 0 },
    { asServiceOf: workflow.tenant_id },
  );
  if (run.status === 'running' && isWaiting && form.redirect === null)
    return sendWorking(request, response, titleOf(form), about);
  sendPublicPage(response, { status: 200, page: afterPage(form, run), ...about });
}

/** The page after the last one of a form. */
function afterPage(form: PublicForm, { status, output }: StartResult): PublicPage {
  const title = titleOf(form);
  if (status === 'failed' || status === 'cancelled') return failedPage(title);
  if (form.redirect !== null) return leavingPage(title, form.redirect);
  return sentPage(title, outputText(form.confirmation ?? CONFIRMATION, output));
}

const titleOf = ({ title, workflow }: PublicForm): string => title ?? workflow.name;

/** What all pages of the form have. */
const aboutOf = ({ form: { redirect }, branding }: Visit) => ({
  branding,
  formTarget: redirect === null ? null : new URL(redirect).origin,
});

function sendForm(visit: Visit, status: number, token: string, shown: Shown, message: string | null): void {
  const { form, response } = visit;
  const { description, submit, fields } = form;
  const page = formPage({ title: titleOf(form), description, submit, fields, token, shown, message });
  sendPublicPage(response, { status, page, ...aboutOf(visit) });
}
