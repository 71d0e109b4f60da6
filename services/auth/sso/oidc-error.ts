import { EgressError } from '../../../lib/egress';
import { AppError } from '../../../lib/errors';

const ERROR_CODE = /^[a-z_]{1,60}$/;

/** Converts an error of the OIDC exchange to one for the user. Messages contain no free text of the provider. */
export function toOidcError(error: unknown): AppError {
  const network = causesOf(error).find((each) => each instanceof EgressError);
  if (network !== undefined) {
    return new AppError(
      'provider_failed',
      `The identity provider could not be reached: ${network.message}`,
      {},
      { cause: error },
    );
  }
  const { error: word, code } = (error ?? {}) as { error?: unknown; code?: unknown };
  if (typeof word === 'string') {
    const shown = ERROR_CODE.test(word) ? word : 'an unknown error';
    return new AppError('sign_in_failed', `The identity provider refused: ${shown}`, {}, { cause: error });
  }
  const reason = error instanceof Error ? error.message : 'unknown error';
  const mark = typeof code === 'string' ? ` (${code})` : '';
  return new AppError(
    'sign_in_failed',
    `Invalid response of the identity provider: ${reason}${mark}`,
    {},
    { cause: error },
  );
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < 10; each = each.cause) causes.push(each);
  return causes;
}
