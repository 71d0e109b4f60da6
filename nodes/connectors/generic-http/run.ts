import { EgressError } from '../../../lib/egress';
import { isObject, type JsonObject } from '../../../lib/json';
import { NO_LIMITS } from '../../../lib/json/limits';
import { parseJsonSliced } from '../../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../../lib/json/stringify-sliced';
import type { NodeHttp, Outcome } from '../../contract';
import { outcomeOfResponse } from '../../http/http-request/judge';
import { buildRequest, type HttpRequestInput } from '../../http/http-request/request';
import { redactingAlso } from '../../redaction';
import { type Failed, failConnection, failFinally, invalidConfig } from '../../outcome';
import type { Account, ActionContext } from '../contract';
import { InvalidInputError } from '../invalid-input-error';
import { type Credential, credentialOf } from './account';
import { answering, authorized, furtherHeaders, type Request, tokenRequest } from './authorize';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

const REDIRECTS = 5;
/** Shorter tokens could be any word, so they are not redacted. */
const MIN_TOKEN_CHARS = 8;

/** Sends a request with the account's credentials; outcomes are those of `http_request`. @throws InvalidInputError */
export async function run(method: string, input: JsonObject, account: Account, ctx: ActionContext): Promise<Outcome> {
  const isAnonymous = Object.keys(account.credentials).length === 0;
  const credential: Credential = isAnonymous ? { kind: 'none' } : credentialOf(account);
  // The runtime has checked the input against the action's schema, whose members are those of `http_request`.
  const config = { method, ...input, url: addressOf(String(input.url), account) } as unknown as HttpRequestInput;
  const plan = buildRequest(config, ctx);
  if (plan.kind === 'refuse') return invalidConfig(plan.problem);
  const headers = { ...furtherHeaders(account), ...plan.request.headers };
  // Credentials are meant for one place, and so follow no redirect.
  const request: Request = { ...plan.request, headers, maxRedirects: isAnonymous ? REDIRECTS : 0 };
  const hidden = hiddenForms(credential);
  const mask = (text: string): string => redactingAlso(ctx.redact, hidden)(text);
  const subject = mask(`${config.method ?? method} ${config.url.split('?', 1)[0]}`);
  try {
    if (credential.kind !== 'oauth2') {
      const sent = await exchange(request, credential, ctx);
      return await outcomeOfResponse(sent, config, { now: ctx.now, redact: mask, subject });
    }
    const token = await tokenOf(credential, ctx, mask);
    if (typeof token !== 'string') return token;
    hidden.push(token);
    const sent = await exchange(request, { kind: 'bearer', token }, ctx);
    return await without(token, await outcomeOfResponse(sent, config, { now: ctx.now, redact: mask, subject }));
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    return failConnection('http', thrown, `${subject} failed: ${mask(thrown.message)}`);
  }
}

/** The outcome without a token of which the run does not know, and which a response may quote. */
async function without(token: string, outcome: Outcome): Promise<Outcome> {
  if (outcome.kind !== 'done' || token.length < MIN_TOKEN_CHARS) return outcome;
  const quoted = JSON.stringify(token).slice(1, -1);
  const text = (await stringifyJsonSliced(outcome.output)) ?? 'null';
  if (!text.includes(quoted)) return outcome;
  const output = await parseJsonSliced(text.replaceAll(quoted, '***'), NO_LIMITS);
  return isObject(output) ? { ...outcome, output } : outcome;
}

async function exchange(request: Request, credential: Credential, ctx: ActionContext): Promise<Response> {
  if (credential.kind !== 'digest') return ctx.http.request(await authorized(request, credential, ctx.now));
  const first = await ctx.http.request(request);
  const header = first.headers['www-authenticate'];
  const again = first.status === 401 ? answering(request, [header ?? []].flat().join(', '), credential) : null;
  return again === null ? first : ctx.http.request(again);
}

/** A token for this request alone: a step keeps nothing. */
async function tokenOf(
  credential: Extract<Credential, { kind: 'oauth2' }>,
  ctx: ActionContext,
  mask: (text: string) => string,
): Promise<string | Failed> {
  const { status, body } = await ctx.http.request({ ...tokenRequest(credential), signal: ctx.signal });
  const read = parsed(body.toString());
  if (status === 200 && isObject(read) && typeof read.access_token === 'string' && read.access_token !== '')
    return read.access_token;
  const detail = isObject(read) && typeof read.error === 'string' ? `: ${mask(read.error).slice(0, 200)}` : '';
  const message = `no token: the token address answered ${status}${detail}`;
  return { ...failFinally('token_refused', message), retryable: status === 429 || status >= 500 };
}

/** Relative to the base URL of the connection, if there is one. @throws InvalidInputError */
function addressOf(url: string, { credentials }: Account): string {
  const base = credentials.base_url?.replace(/\/+$/, '') ?? '';
  if (base === '') {
    if (/^https?:\/\//i.test(url)) return url;
    throw new InvalidInputError('"url" must begin with http:// or https://, or the step needs a connection');
  }
  if (!URL.canParse(base))
    throw new InvalidInputError('"base_url" of the connection must look like https://api.example.com');
  const whole = url.startsWith('/') ? `${base}${url}` : url;
  if (URL.canParse(whole) && new URL(whole).origin === new URL(base).origin) return whole;
  throw new InvalidInputError(
    `"url" must be a path, or lie at ${new URL(base).origin}: the credentials go nowhere else`,
  );
}

/** Forms of credentials that a response may quote, in addition to those that the run redacts. */
function hiddenForms(credential: Credential): string[] {
  if (credential.kind === 'basic')
    return [Buffer.from(`${credential.username}:${credential.password}`).toString('base64')];
  if (credential.kind === 'api_key') return [encodeURIComponent(Buffer.from(credential.key).toString())];
  return credential.kind === 'oauth2' ? [credential.clientSecret] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // JSON.parse throws for bad syntax alone: then there is no token.
    return null;
  }
}
