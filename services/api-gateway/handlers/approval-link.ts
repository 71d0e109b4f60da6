import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { parseJsonText } from '../../../lib/http-body/json-body';
import type { Json } from '../../../lib/json';
import type { ResultOf } from '../../../contracts/catalogue';
import { type Decision, decidedPage, faultPage, outcomePage, questionPage, signInPage } from '../public-page/approval';
import { controlName } from '../public-page/controls';
import { filledIn, formFields } from '../public-page/fields';
import type { PublicPage } from '../public-page/layout';
import { sendPublicPage } from '../public-page/send';
import type { Gateway } from '../gateway';
import { sendAnswer } from '../http/answer';
import { errorAnswer } from '../http/error-answer';
import { all, parseQuery, single } from '../http/query';
import { type GatewayRequest, prefersHtml } from '../http/request';

const MAX_COMMENT_CHARS = 1_000;

type Query = ReturnType<typeof parseQuery>;

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
  const sendPage = async (status: number, page: PublicPage): Promise<void> => {
    const branding = await gateway.brandings.ofRun(gateway.caller(request), target.id);
    sendPublicPage(response, { status, page, branding });
  };
  try {
    const decision = decisionOf(query);
    const principal = await gateway.identifyIfGiven(request);
    const decides = request.method !== 'HEAD' && (!html || single(query, 'confirm') === '1');
    const ask = () => gateway.call('executions.decide_by_link', target, principal, request);
    const result = decides
      ? await gateway.call(
          'executions.decide_by_link',
          { ...target, decision, ...(await givenIn(query, decision, html ? ask : null)) },
          principal,
          request,
        )
      : await ask();
    if (!html) await sendAnswer(response, { status: 200, body: result });
    else if (decides) await sendPage(200, outcomePage(decision));
    else await sendPage(200, result.approved === null ? questionPage(result, decision) : decidedPage(result.approved));
  } catch (error) {
    if (!html) throw error;
    const answer = errorAnswer(error, request.requestId);
    if (answer.code === 'internal') throw error;
    if (answer.code === 'unauthenticated') return sendPage(answer.status, signInPage(target));
    const back = CORRECTABLE.has(answer.code) ? decisionIn(query) : null;
    await sendPage(answer.status, faultPage((answer.body as { error: string }).error, back));
  }
}

/** Faults of what was filled in. */
const CORRECTABLE: ReadonlySet<string> = new Set(['invalid_input', 'invalid_json', 'invalid_request']);

function decisionIn(query: Query): Decision | null {
  const given = single(query, 'decision');
  return given === 'approve' || given === 'reject' ? given : null;
}

function decisionOf(query: Query): Decision {
  const decision = decisionIn(query);
  if (decision !== null) return decision;
  throw new AppError('invalid_request', "The 'decision' must be approve or reject");
}

/** The comment and the form of a decision. `ask`: reads the question, for pages, whose fields are texts. @throws AppError invalid_json, invalid_request */
async function givenIn(
  query: Query,
  decision: Decision,
  ask: (() => Promise<ResultOf<'executions.decide_by_link'>>) | null,
): Promise<{ form?: Json; comment?: string }> {
  const comment = single(query, 'comment')?.slice(0, MAX_COMMENT_CHARS) ?? '';
  const form = await formIn(query, decision, ask);
  return { ...(comment === '' ? {} : { comment }), ...(form === undefined ? {} : { form }) };
}

async function formIn(
  query: Query,
  decision: Decision,
  ask: (() => Promise<ResultOf<'executions.decide_by_link'>>) | null,
): Promise<Json | undefined> {
  const text = single(query, 'form');
  if (text !== undefined && (text !== '' || ask === null)) return parseJsonText(text);
  const fields = ask === null ? null : formFields((await ask()).form);
  if (fields === null) return undefined;
  const { values, faults } = filledIn(fields, (name) => all(query, controlName(name)));
  for (const { name, label } of fields) {
    const fault = faults.get(name);
    if (fault !== undefined) throw new AppError('invalid_request', `${label}: ${fault}`);
  }
  const isEmpty = Object.values(values).every((value) => value === false);
  return decision === 'reject' && isEmpty ? undefined : values;
}
