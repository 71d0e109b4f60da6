import { parseDuration } from '../../../lib/duration';
import type { MailAddress } from '../../../lib/mail-address';
import { SMTP_PORTS, type SmtpServer } from '../../../lib/smtp-url';
import { bounded } from '../../bounded';
import type { MinimalContext } from '../../minimal-context';
import type { NodeCapabilities, Outcome } from '../../contract';
import { done, failFinally, invalidConfig, failConnection } from '../../outcome';
import { deliver, type Progress, type MailRoute } from './deliver';
import { compose, type Connection, type EmailInput, type Message, sender } from './message';
import { InvalidInputError } from './mime';
import { EgressError, toEgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import { excerpt, redactingAlso } from '../../redaction';

/** The outcome for a failed delivery. Pure. @throws any other error */
function outcomeOfFailure(
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

/** Forms of a login that a server may quote: the password, and its encodings by the login methods. */
function hiddenForms(login: SmtpServer['login']): string[] {
  if (login === null) return [];
  const { user, password } = login;
  return [password, ...[password, `\0${user}\0${password}`].map((text) => Buffer.from(text).toString('base64'))];
}

const DEFAULT_TIMEOUT_MS = 30_000;

type MailContext = MinimalContext & { readonly capabilities: Pick<NodeCapabilities, 'mail'> };

/** Composes the message, hands it to its server, judges the answer. */
export async function run(ctx: MailContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const input = ctx.input as unknown as EmailInput;
  const timeoutMs = input.timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(input.timeout);
  if (timeoutMs === null || timeoutMs === 0) return invalidConfig('"timeout" must be a duration above zero, as 20s');
  let server: MailRoute;
  let message: Message;
  try {
    const route = routeOf(input, ctx);
    if (route === null) return NO_SERVER;
    server = route.server;
    message = await compose(input, route.from, ctx);
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) return invalidConfig(thrown.message);
    throw thrown;
  }
  const progress: Progress = { stage: 'connecting' };
  try {
    const work = (signal: AbortSignal) => deliver(server, message, progress, { timeoutMs, signal });
    return done({ message_id: message.id, ...(await bounded(ctx.signal, timeoutMs, work)) });
  } catch (thrown) {
    return outcomeOfFailure(thrown, server.server, progress, ctx.redact);
  }
}

const NO_SERVER = failFinally(
  'no_mail_server',
  'This installation has no mail server (SMTP_URL), and the step names none in "connection"',
);

/** The server and sender; null if there is none. @throws InvalidInputError */
function routeOf(input: EmailInput, { capabilities }: MailContext): { server: MailRoute; from: MailAddress } | null {
  const { connection, from } = input;
  if (connection !== undefined) return { server: mailRoute(connection, capabilities.net), from: sender(from) };
  if (capabilities.mail === null) return null;
  if (from === undefined) return { server: capabilities.mail, from: capabilities.mail.from };
  throw new InvalidInputError(
    '"from" needs a "connection", for the installation says whom its mails are from; use "reply_to"',
  );
}

function mailRoute({ host, port, security, user, password, ca }: Connection, net: MailRoute['net']): MailRoute {
  if ((user === undefined) !== (password === undefined))
    throw new InvalidInputError('"user" and "password" go together');
  const kind = security ?? (port === SMTP_PORTS.tls ? 'tls' : 'starttls');
  const login = user === undefined || password === undefined ? null : { user, password };
  return { server: { host, port: port ?? SMTP_PORTS[kind], security: kind, login }, ca, net };
}
