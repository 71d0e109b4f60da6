import { codeOf, EgressError } from '../../../lib/egress';
import { excerpt, redactingAlso } from '../../redaction';
import { type Failed, failConnection, failFinally } from '../../outcome';
import type {
  Account,
  ActionContext,
  Connector,
  ConnectorFault,
  ConnectorRequest,
  Send,
  SendResult,
} from '../contract';
import { secretsOf } from '../auth';
import { parseResponse } from './response';
import { faultOf } from './fault';
import { payloadOf } from './payload';
import { type Base, urlOf } from './url';

/** An account with a function that refreshes its access token. */
export interface AccountSource {
  readonly account: Account;
  /** The account with another token than the rejected one, or the failure of the refresh. */
  refresh(rejected: string): Promise<{ kind: 'account'; account: Account } | { kind: 'failed'; outcome: Failed }>;
}

/** A request without a response: the step may be retried, or fails with `outcome_unknown`. */
type NoResponsePolicy = 'retry' | 'fail';

/** The requests of one attempt of a step, with one account. Its token is refreshed at most once. */
export class Session {
  #account: Account;
  #refreshed = false;
  #sent = 0;
  /** True once a request was sent that may have changed something. */
  #wrote = false;

  constructor(
    private readonly connector: Connector,
    private readonly source: AccountSource,
    private readonly ctx: ActionContext,
    private readonly noResponse: NoResponsePolicy,
  ) {
    this.#account = source.account;
  }

  get account(): Account {
    return this.#account;
  }

  /** @throws InvalidInputError */
  readonly send: Send = async (request) => {
    // The first request has the key of the step, so providers see the same key in each attempt.
    const key = this.#sent === 0 ? this.ctx.idempotencyKey : this.ctx.keyOf(`request-${this.#sent}`);
    this.#sent += 1;
    const first = await this.#exchange(request, key);
    if (first.kind !== 'rejected') return first;
    const rejected = this.#account.credentials.access_token;
    if (this.#refreshed || rejected === undefined) return first.failed;
    this.#refreshed = true;
    const refreshed = await this.source.refresh(rejected);
    if (refreshed.kind === 'failed') return { kind: 'failed', outcome: refreshed.outcome };
    if (refreshed.account.credentials.access_token === rejected) return first.failed;
    this.#account = refreshed.account;
    const second = await this.#exchange(request, key);
    return second.kind === 'rejected' ? second.failed : second;
  };

  /** The origin that a request is sent to. @throws InvalidInputError */
  readonly originOf = (request: ConnectorRequest): string => new URL(urlOf(request, this.#base())).origin;

  #base(): Base {
    const { connector, ctx } = this;
    return { provider: connector.base(this.#account), operator: ctx.capabilities.connectorUrls.get(connector.name) };
  }

  async #exchange(
    request: ConnectorRequest,
    key: string,
  ): Promise<SendResult | { kind: 'rejected'; failed: SendResult }> {
    const { connector, ctx } = this;
    const account = this.#account;
    const signed = request.anonymous === true ? request : connector.sign(request, account);
    const redact = redactingAlso(ctx.redact, encodedForms(signed, secretsOf(connector, account)));
    const { headers, body } = payloadOf(signed);
    this.#wrote ||= signed.method !== 'GET' && signed.method !== 'HEAD';
    try {
      const received = await ctx.http.request({
        method: signed.method,
        url: urlOf(signed, this.#base()),
        headers,
        ...(body === undefined ? {} : { body }),
        // Credentials are not sent to the target of a redirect.
        maxRedirects: 0,
        idempotencyKey: key,
        signal: ctx.signal,
      });
      const response = await parseResponse(received);
      const fault = faultOf(connector, response, ctx.now);
      if (fault === null) return { kind: 'response', response };
      const failed: SendResult = { kind: 'failed', outcome: outcomeOf(fault, connector, response.status, redact) };
      return fault.tokenRefused === true ? { kind: 'rejected', failed } : failed;
    } catch (thrown) {
      if (!(thrown instanceof EgressError)) throw thrown;
      return { kind: 'failed', outcome: this.#withoutResponse(thrown, redact) };
    }
  }

  /** The failure of a request without a response. A change that may have been made is retried only if it is idempotent. */
  #withoutResponse(fault: EgressError, redact: (text: string) => string): Failed {
    const { connector } = this;
    // Nothing has been changed as long as only reads were sent.
    const policy = this.#wrote ? this.noResponse : 'retry';
    const message = `${connector.title}: ${redact(fault.message)}`;
    const unknown = policy === 'fail' && (fault.kind === 'timeout' || fault.kind === 'connect') && !wasNeverSent(fault);
    if (unknown) return failFinally('outcome_unknown', `${message}. It may have been done, or not`);
    return failConnection('connector', fault, message);
  }
}

/** Codes of a connection that was never made: nothing has been sent. */
const NEVER_CONNECTED = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;

const wasNeverSent = ({ cause }: EgressError): boolean => NEVER_CONNECTED.test(codeOf(cause));

function outcomeOf(
  fault: ConnectorFault,
  { title }: Connector,
  status: number,
  redact: (text: string) => string,
): Failed {
  const message = excerpt(redact(fault.message));
  return {
    kind: 'fail',
    error: { code: errorCode(fault.code), message: `${title} answered ${status}${message && `: ${message}`}` },
    retryable: fault.retryable,
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
  };
}

/** The code of a provider as an error code of a step. */
function errorCode(code: string): string {
  const text = code.replace(/[^\w.-]+/g, '_').slice(0, 100);
  return /^[A-Za-z]/.test(text) ? text : `provider_${text}`;
}

/** Encoded forms of credentials that a provider may quote. */
function encodedForms({ headers = {} }: ConnectorRequest, values: readonly string[]): string[] {
  const { authorization = '' } = headers;
  return [
    ...values.flatMap((value) => [
      encodeURIComponent(Buffer.from(value).toString()),
      new URLSearchParams([['', value]]).toString().slice(1),
    ]),
    ...authorization.split(' ').slice(1),
  ];
}
