import { EgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import type { Outcome } from '../../contract';
import { excerpt } from '../../redaction';
import { failConnection, failFinally } from '../../outcome';
import { type DatabaseErrorKind, DatabaseError, type Progress } from './contract';

/** Whether the same may succeed later. */
const RETRYABLE: Readonly<Record<DatabaseErrorKind, boolean>> = {
  login: false,
  duplicate: false,
  busy: true,
  timeout: true,
  query: false,
  lost: true,
  protocol: false,
};

/** What the failure of a question means for the step. Pure. @throws what is no failure of a database */
export function outcomeOfFailure(
  thrown: unknown,
  progress: Progress,
  subject: string,
  mask: (text: string) => string,
): Outcome {
  if (!(thrown instanceof EgressError) && !(thrown instanceof DatabaseError)) throw thrown;
  const detail = excerpt(mask(errorMessage(thrown)));
  if (progress.outcomeUnknown)
    return failFinally('database_unknown', `${subject}: ${detail}. It may have made the change, or not`);
  if (thrown instanceof EgressError) return failConnection('database', thrown, `${subject}: ${detail}`);
  const { kind: complaint, serverCode } = thrown;
  const code = complaint === 'lost' ? 'connect' : complaint;
  const message = `${subject}: ${detail}${serverCode === null ? '' : ` (${serverCode})`}`;
  return { kind: 'fail', error: { code: `database_${code}`, message }, retryable: RETRYABLE[complaint] };
}
