import { EgressError } from '../../../lib/egress';
import type { NodeContext, Outcome } from '../../contract';
import { invalidConfig } from '../../outcome';
import { judgeResponse } from './judge';
import { buildRequest, type HttpRequestInput } from './request';

/** Builds the request, sends it, judges the answer. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const config = ctx.input as unknown as HttpRequestInput;
  const plan = buildRequest(config, ctx);
  if (plan.kind === 'refuse') return invalidConfig(plan.problem);
  const { request, hidden } = plan;
  const mask = (text: string): string =>
    hidden.reduce((masked, form) => (form === '' ? masked : masked.replaceAll(form, '***')), ctx.mask(text));
  const subject = mask(`${request.method} ${withoutQuery(request.url)}`);
  try {
    const response = await ctx.http.request(request);
    if (response.downgraded) ctx.log('warn', `${subject} was redirected from https to http`);
    return judgeResponse(response, config, { now: ctx.now, mask, subject });
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    return {
      kind: 'fail',
      error: { code: `http_${thrown.kind}`, message: `${subject} failed: ${mask(thrown.message)}` },
      retryable: thrown.retryable,
    };
  }
}

/** A URL as far as messages may show it: the query is where keys are put. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] as string;
