import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { parseJsonText } from '../../../lib/http-body/json-body';
import type { Json } from '../../../lib/json';
import type { Gateway } from '../gateway';
import { sendAnswer, sendText } from '../http/answer';
import { errorAnswer } from '../http/error-answer';
import { parseQuery, single } from '../http/query';
import { type GatewayRequest, prefersHtml } from '../http/request';

type Decision = 'approve' | 'reject';

const HTML = 'text/html; charset=utf-8';
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Referrer-Policy': 'no-referrer',
};

/**
 * Decides an approval by the link in a mail. Programs get JSON, people a page. Mail scanners follow links, so a page
 * without `confirm=1` only asks, and HEAD never decides.
 */
export async function serveApprovalLink(
  gateway: Gateway,
  path: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const html = prefersHtml(request.headers.accept);
  const query = parseQuery(request.search);
  const target = { id: path.id as string, step_id: path.step_id as string };
  try {
    const decision = decisionOf(single(query, 'decision'));
    const principal = await gateway.identifyIfGiven(request);
    const decides = request.method !== 'HEAD' && (!html || single(query, 'confirm') === '1');
    const params = decides ? { ...target, decision, form: await formOf(single(query, 'form')) } : target;
    const result = await gateway.call('executions.decide_by_link', params, principal, request);
    if (!html) await sendAnswer(response, { status: 200, body: result });
    else if (decides) sendPage(response, 200, outcomePage(decision));
    else
      sendPage(
        response,
        200,
        result.approved === null ? questionPage(result.message, decision) : decidedPage(result.approved),
      );
  } catch (error) {
    if (!html) throw error;
    const answer = errorAnswer(error, request.requestId);
    if (answer.code === 'internal') throw error;
    if (answer.code === 'unauthenticated') return sendPage(response, answer.status, signInPage(target));
    sendPage(
      response,
      answer.status,
      page('Not possible', `<p>${escape((answer.body as { error: string }).error)}</p>`),
    );
  }
}

function decisionOf(given: string | undefined): Decision {
  if (given === 'approve' || given === 'reject') return given;
  throw new AppError('invalid_request', "The 'decision' must be approve or reject");
}

/** What is filled in, as JSON. @throws AppError invalid_json */
const formOf = async (given: string | undefined): Promise<Json | undefined> =>
  given === undefined ? undefined : parseJsonText(given);

const sendPage = (response: ServerResponse, status: number, text: string): void =>
  sendText(response, status, HTML, text, PAGE_HEADERS);

/** The form goes to the page's own address, with what the button adds. */
const questionPage = (message: string, decision: Decision): string =>
  page(
    decision === 'approve' ? 'Approve?' : 'Reject?',
    `<p>${escape(message)}</p><form method="get"><input type="hidden" name="decision" value="${decision}">` +
      `<input type="hidden" name="confirm" value="1"><button>${decision === 'approve' ? 'Approve' : 'Reject'}</button></form>`,
  );

const signInPage = ({ id, step_id }: { id: string; step_id: string }): string =>
  page(
    'Sign in to decide',
    '<p>This approval names its approvers, so the link alone does not decide it. Sign in as one of them and decide there, ' +
      `or use the command line:</p><p><code>everstep approve ${escape(id)} ${escape(step_id)}</code></p>`,
  );

const outcomePage = (decision: Decision): string =>
  page(decision === 'approve' ? 'Approved' : 'Rejected', '<p>The decision is recorded. You may close this page.</p>');

const decidedPage = (approved: boolean): string =>
  page('Already decided', `<p>This was ${approved ? 'approved' : 'rejected'} before.</p>`);

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>${title}</title><style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}` +
  `p{white-space:pre-wrap;overflow-wrap:anywhere}button{font:inherit;padding:.5rem 1.5rem}</style>` +
  `<h1>${title}</h1>${content}</html>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
