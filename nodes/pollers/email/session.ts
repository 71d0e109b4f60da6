import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ImapFlow, ImapFlowError } from 'imapflow';
import { guardSocket, EgressError, type Peer, secure, tlsOptions, toEgressError } from '../../../lib/egress';
import type { NodeNet } from '../../contract';
import { misconfigured, PollFault, unreadable } from '../fault';

const CONNECT_MS = 10_000;
const MAX_GREETING_MS = 5_000;
const MAX_SILENCE_MS = 60_000;
/** A list of two hundred thousand numbers. */
const MAX_LINE_BYTES = 2 * 1024 * 1024;
/** More than any request asks for. */
const MAX_LITERAL_BYTES = 2 * 1024 * 1024;
const MAX_TOKENS = 100_000;
const MAX_MESSAGE_CHARS = 200;

/** A mail server with its login. */
export interface Mailbox {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. False: STARTTLS, which the server must offer unless `allowPlain`. */
  readonly tls: boolean;
  /** True if the password may be sent without TLS to a server that offers none. */
  readonly allowPlain: boolean;
  readonly user: string;
  /** With `xoauth2`: an access token. */
  readonly password: string;
  readonly auth: 'password' | 'xoauth2';
  /** Additional certificate authority to trust, in PEM format. */
  readonly ca?: string;
}

/** Runs `work` with a logged-in client. @throws PollFault, EgressError */
export async function inMailbox<T>(
  net: NodeNet,
  { host, port, tls, allowPlain, user, password, auth, ca }: Mailbox,
  signal: AbortSignal,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  // Loaded at its first use: it takes a tenth of a second, and most processes need none.
  const { ImapFlow: Client } = require('imapflow') as typeof import('imapflow');
  const peer: Peer = { host, verify: 'full', ...(ca === undefined ? {} : { ca }) };
  const plain = await net.connect({ host, port, timeoutMs: CONNECT_MS, signal });
  let socket: Socket = tls ? await secure(plain, peer, CONNECT_MS) : plain;
  const client = new Client({
    host,
    port,
    secure: tls,
    // An attacker in the middle can remove the offer of STARTTLS.
    ...(allowPlain ? {} : { doSTARTTLS: !tls }),
    auth: auth === 'xoauth2' ? { user, accessToken: password } : { user, pass: password },
    transport: {
      connect(_options, onConnect) {
        setImmediate(onConnect);
        return socket;
      },
      upgrade(_socket, _options, onSecure) {
        socket = guardSocket(connectTls({ ...tlsOptions(peer), socket: plain }), host);
        return socket.once('secureConnect', onSecure);
      },
    },
    logger: false,
    clientInfo: { name: 'everstep' },
    // Decompressed data has no size limit, and the compression does not help here.
    disableCompression: true,
    disableAutoIdle: true,
    disableAutoEnable: true,
    greetingTimeout: MAX_GREETING_MS,
    socketTimeout: MAX_SILENCE_MS,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxResponseSize: 2 * MAX_LITERAL_BYTES,
    maxResponseTokens: MAX_TOKENS,
  });
  let broken: unknown = null;
  client.on('error', (fault) => (broken ??= fault));
  try {
    await client.connect();
    return await work(client);
  } catch (fault) {
    if (fault instanceof PollFault || fault instanceof EgressError) throw fault;
    if (socket.errored instanceof EgressError) throw socket.errored;
    throw faultOf(broken ?? fault, host);
  } finally {
    client.close();
    socket.destroy();
  }
}

/** A command that the server refused without a reason. */
export const refusedCommand = (command: string): PollFault =>
  new PollFault('imap_refused', `the mail server refused ${command}`, false);

const UNREADABLE = /TooLarge$|^TooMany|^ParserError|^InvalidResponse|_NESTING_|Tag$/;
/** Errors of values that the client does not send. */
const MALFORMED = /^Invalid(?:String|Token|Text)Value$/;
const CLOSED = /^(?:NoConnection|EConnectionClosed|StateLogout|ClosedAfterConnect(?:Text|TLS))$/;
/** Temporary errors (RFC 5530). */
const TEMPORARY = /^(?:UNAVAILABLE|INUSE|LIMIT|SERVERBUG)$/;

/** The fault for an error of the client. */
function faultOf(fault: unknown, host: string): unknown {
  // Recognized by its shape: errors of TLS can come from another realm.
  if (typeof fault !== 'object' || fault === null) return fault;
  const imapFault = fault as ImapFlowError;
  const { code = '', reason } = imapFault;
  if (MALFORMED.test(code))
    return misconfigured('the name of a mailbox, a text to search for, and an access token must be one line');
  if (UNREADABLE.test(code)) return unreadable(`the mail server sent an invalid response (${code})`);
  if (code === 'STARTTLS_INJECTION')
    return refused('imap_protocol', 'the mail server sent data before TLS began', false);
  const refusal = refusalOf(imapFault, code);
  if (refusal !== null) return refusal;
  if (reason !== undefined) return refused('imap_bye', reason, true);
  if (code.endsWith('TIMEOUT')) return new EgressError('timeout', `${host} did not answer in time`, { cause: fault });
  if (CLOSED.test(code)) return refused('imap_connect', 'the mail server closed the connection', true);
  return code === '' ? fault : toEgressError(fault, host);
}

/** The fault for a refusal, with the message of the server; null for another error. */
function refusalOf(imapFault: ImapFlowError, code: string): PollFault | null {
  const message =
    typeof imapFault.response === 'string' ? imapFault.response : (imapFault.responseText ?? imapFault.message);
  const isTemporary = TEMPORARY.test(imapFault.serverResponseCode ?? '');
  if (imapFault.authenticationFailed === true)
    return refused('login_refused', `the mail server refused the login: ${message}`, isTemporary);
  if (message.startsWith('Unsupported authentication'))
    return refused('login_refused', 'the mail server does not accept access tokens (XOAUTH2)', false);
  if (imapFault.tlsFailed === true && code === '') {
    const hint = 'use "tls": true, or "allow_plain": true to send the password in plain text';
    return refused('imap_no_tls', `the mail server offers no TLS: ${hint}`, false);
  }
  if (imapFault.responseStatus === undefined) return null;
  const command = imapFault.executedCommand?.split(' ')[1] ?? 'a command';
  return refused('imap_refused', `the mail server refused ${command}: ${message}`, isTemporary);
}

const refused = (code: string, message: string, retryable: boolean): PollFault =>
  new PollFault(code, message.slice(0, MAX_MESSAGE_CHARS), retryable);
