import { EgressError } from '../../../lib/egress';
import { AppError } from '../../../lib/errors';

const ERROR_WORD = /^[a-z_]{1,60}$/;

/** What of a fault in the exchange is for the person at the browser: no text that anybody else has chosen. */
export function oidcFault(error: unknown): AppError {
  const network = causesOf(error).find((each) => each instanceof EgressError);
  if (network !== undefined) {
    return new AppError(
      'provider_failed',
      `The identity provider was not reached: ${network.message}`,
      {},
      { cause: error },
    );
  }
  const { error: word, code } = (error ?? {}) as { error?: unknown; code?: unknown };
  if (typeof word === 'string') {
    const shown = ERROR_WORD.test(word) ? word : 'an error without a name';
    return new AppError('sign_in_failed', `The identity provider refused: ${shown}`, {}, { cause: error });
  }
  const reason = error instanceof Error ? error.message : 'unknown fault';
  const mark = typeof code === 'string' ? ` (${code})` : '';
  return new AppError(
    'sign_in_failed',
    `The identity provider's answer is refused: ${reason}${mark}`,
    {},
    { cause: error },
  );
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let each = error; each instanceof Error && causes.length < 10; each = each.cause) causes.push(each);
  return causes;
}
