import { EgressError } from '../../../lib/egress';
import type { NodeContext, Outcome } from '../../contract';
import { masking } from '../../mask';
import { failConnection, invalidConfig } from '../../outcome';
import { judgeResponse } from './judge';
import { buildRequest, type HttpRequestInput } from './request';

/** The runtime has checked the input against the manifest's schema. */
export const run = (ctx: NodeContext): Promise<Outcome> => send(ctx.input as unknown as HttpRequestInput, ctx);

/** Builds the request, sends it, judges the answer. */
export async function send(config: HttpRequestInput, ctx: NodeContext): Promise<Outcome> {
  const plan = buildRequest(config, ctx);
  if (plan.kind === 'refuse') return invalidConfig(plan.problem);
  const { request, hidden } = plan;
  const mask = masking(ctx.mask, hidden);
  const subject = mask(`${request.method} ${withoutQuery(request.url)}`);
  try {
    const response = await ctx.http.request(request);
    if (response.downgraded) ctx.log('warn', `${subject} was redirected from https to http`);
    return judgeResponse(response, config, { now: ctx.now, mask, subject });
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    return failConnection('http', thrown, `${subject} failed: ${mask(thrown.message)}`);
  }
}

/** A URL as far as messages may show it: the query is where keys are put. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] as string;
