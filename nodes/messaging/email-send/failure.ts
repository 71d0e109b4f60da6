import { EgressError, toEgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import type { SmtpServer } from '../../../lib/smtp-url';
import type { Outcome } from '../../contract';
import { excerpt, redactingAlso } from '../../redaction';
import { failConnection, failFinally } from '../../outcome';
import type { Progress } from './deliver';

/** What the failure of a delivery means for the step. Pure. @throws what is no failure of a delivery */
export function outcomeOfFailure(
  thrown: unknown,
  { host, login }: SmtpServer,
  { stage }: Progress,
  maskSecrets: (text: string) => string,
): Outcome {
  const mask = redactingAlso(maskSecrets, hiddenForms(login));
  const { responseCode, code, originalCode } = isObject(thrown) ? thrown : {};
  if (!(thrown instanceof EgressError) && typeof code !== 'string') throw thrown;
  const message = `The mail server ${mask(host)}: ${excerpt(mask(errorMessage(thrown)))}`;
  if (typeof responseCode === 'number') {
    const error = {
      code: code === 'ETLS' ? 'smtp_protocol' : stage === 'login' ? 'smtp_login' : 'smtp_refused',
      message,
    };
    // 4xx is retryable, 5xx is permanent (RFC 5321 section 4.2.1).
    return { kind: 'fail', error, retryable: responseCode < 500 };
  }
  if (stage === 'sent') return failFinally('smtp_unknown', `${message}. It may have taken the message, or not`);
  if (thrown instanceof EgressError) return failConnection('smtp', thrown, message);
  const { kind } = toEgressError({ code: originalCode }, host);
  return failConnection('smtp', new EgressError(FINAL.has(code) ? 'protocol' : kind, message), message);
}

/** Codes of nodemailer for what will not be better the next time. */
const FINAL = new Set<unknown>(['ETLS', 'EAUTH', 'EMESSAGE', 'EPROTOCOL']);

/** What a server may quote of a login: the password, and what the login methods make of it. */
function hiddenForms(login: SmtpServer['login']): string[] {
  if (login === null) return [];
  const { user, password } = login;
  return [password, ...[password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'))];
}
