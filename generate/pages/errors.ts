import { type ErrorCode, ERRORS } from '../../lib/errors';
import { code, GENERATED_NOTICE, table } from './markdown';

const INTRODUCTION = `Every error response of the API has a \`code\` from this table; [api.md](api.md#errors) shows the body. Codes are never renamed, and a later version may add some.
A program decides by \`code\`, and treats an unknown code by its HTTP status. The text in \`error\` is for people and may change.

*Retryable*: the same request may succeed later. Repeat it with growing pauses, and wait for \`Retry-After\` where the response has it. A POST is repeated with the
same \`Idempotency-Key\`, so that nothing is created twice. The other codes need a change first.

Errors of a run's steps have codes of their own: see [the node types](reference/nodes.md).`;

/** docs/errors.md */
export function errorsPage(): string {
  const rows = (Object.keys(ERRORS) as ErrorCode[]).map((name) => {
    const { status, retryable, meaning, action } = ERRORS[name];
    return [code(name), String(status), retryable ? 'yes' : 'no', meaning, action];
  });
  const codes = table(['code', 'status', 'retryable', 'meaning', 'what to do'], rows);
  return `${GENERATED_NOTICE}\n\n# Error codes\n\n${INTRODUCTION}\n\n${codes}\n`;
}
