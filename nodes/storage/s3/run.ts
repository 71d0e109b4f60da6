import { EgressError } from '../../../lib/egress';
import type { MinimalContext } from '../../minimal-context';
import type { Outcome } from '../../contract';
import { redactingAlso } from '../../redaction';
import { done, failConnection, invalidConfig } from '../../outcome';
import { type S3Input, timeoutOf, InvalidInputError } from './input';
import { outcomeOfResponse } from './outcome';
import { linkOf, requestOf, type Signed } from './request';

/** Signs a request, sends it, judges the answer; or makes a link, and sends nothing. */
export async function run(ctx: MinimalContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const input = ctx.input as unknown as S3Input;
  const { secret_access_key: secret, session_token: token = '' } = input.credentials;
  const mask = redactingAlso(ctx.redact, [secret, token]);
  try {
    if (input.operation === 'presign') {
      const { url, expiresAt } = await linkOf(input, ctx.now);
      return done({ url, expires_at: new Date(expiresAt).toISOString() });
    }
    const timeoutMs = timeoutOf(input);
    return await send(await requestOf(input, ctx.now), timeoutMs, input, mask, ctx);
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) return invalidConfig(mask(thrown.message));
    throw thrown;
  }
}

async function send(
  signed: Signed,
  timeoutMs: number,
  input: S3Input,
  mask: (text: string) => string,
  ctx: MinimalContext,
): Promise<Outcome> {
  const subject = mask(`${input.operation} ${input.bucket}${input.key === undefined ? '' : `/${input.key}`}`);
  try {
    // A signature is valid for one host, so redirects are not followed.
    const response = await ctx.http.request({ ...signed, timeoutMs, maxRedirects: 0, signal: ctx.signal });
    return await outcomeOfResponse(response, input, { now: ctx.now, subject, mask });
  } catch (thrown) {
    if (!(thrown instanceof EgressError)) throw thrown;
    return failConnection('s3', thrown, `${subject} failed: ${mask(thrown.message)}`);
  }
}
