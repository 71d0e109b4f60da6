import { codeOf, EgressError } from '../../../lib/egress';
import { excerpt, redactingAlso } from '../../redaction';
import { type Failed, failConnection, failFinally } from '../../outcome';
import type { Account, ActionContext, Connector, ConnectorFault, ConnectorRequest, Send, Sent } from '../contract';
import { secretsOf } from '../auth';
import { answerOf } from './answer';
import { faultOf } from './fault';
import { payloadOf } from './payload';
import { type Base, urlOf } from './url';

/** An account, and how to get it anew when the provider takes its token no more. */
export interface Holder {
  readonly account: Account;
  /** Another token for this one; the failure where there is none. */
  renew(refused: string): Promise<{ kind: 'account'; account: Account } | { kind: 'failed'; outcome: Failed }>;
}

/** What happens when an answer is lost: the request is repeated, or the outcome is reported as unknown. */
type Loss = 'repeat' | 'tell';

/** The requests of one attempt of a step, with one account: its token is renewed once. */
export class Session {
  #account: Account;
  #renewed = false;
  #sent = 0;
  /** Something was sent that may have changed something. */
  #wrote = false;

  constructor(
    private readonly connector: Connector,
    private readonly holder: Holder,
    private readonly ctx: ActionContext,
    private readonly loss: Loss,
  ) {
    this.#account = holder.account;
  }

  get account(): Account {
    return this.#account;
  }

  /** @throws Unusable */
  readonly send: Send = async (request) => {
    // The first of a step is known by the step's own key, which providers then see in each attempt.
    const key = this.#sent === 0 ? this.ctx.idempotencyKey : this.ctx.keyOf(`request-${this.#sent}`);
    this.#sent += 1;
    const first = await this.#exchange(request, key);
    if (first.kind !== 'refused') return first;
    const refused = this.#account.credentials.access_token;
    if (this.#renewed || refused === undefined) return first.failed;
    this.#renewed = true;
    const renewed = await this.holder.renew(refused);
    if (renewed.kind === 'failed') return { kind: 'failed', outcome: renewed.outcome };
    if (renewed.account.credentials.access_token === refused) return first.failed;
    this.#account = renewed.account;
    const second = await this.#exchange(request, key);
    return second.kind === 'refused' ? second.failed : second;
  };

  /** Where a request would go. @throws Unusable */
  readonly originOf = (request: ConnectorRequest): string => new URL(urlOf(request, this.#base())).origin;

  #base(): Base {
    const { connector, ctx } = this;
    return { known: connector.base(this.#account), operator: ctx.capabilities.connectorUrls.get(connector.name) };
  }

  async #exchange(request: ConnectorRequest, key: string): Promise<Sent | { kind: 'refused'; failed: Sent }> {
    const { connector, ctx } = this;
    const account = this.#account;
    const signed = request.anonymous === true ? request : connector.sign(request, account);
    const mask = redactingAlso(ctx.redact, hiddenForms(signed, secretsOf(connector, account)));
    const { headers, body } = payloadOf(signed);
    this.#wrote ||= signed.method !== 'GET' && signed.method !== 'HEAD';
    try {
      const response = await ctx.http.request({
        method: signed.method,
        url: urlOf(signed, this.#base()),
        headers,
        ...(body === undefined ? {} : { body }),
        // Credentials are meant for one place.
        maxRedirects: 0,
        idempotencyKey: key,
        signal: ctx.signal,
      });
      const answer = await answerOf(response);
      const fault = faultOf(connector, answer, ctx.now);
      if (fault === null) return { kind: 'answer', answer };
      const failed: Sent = { kind: 'failed', outcome: outcomeOf(fault, connector, answer.status, mask) };
      return fault.tokenRefused === true ? { kind: 'refused', failed } : failed;
    } catch (thrown) {
      if (!(thrown instanceof EgressError)) throw thrown;
      return { kind: 'failed', outcome: this.#lost(thrown, mask) };
    }
  }

  /** An answer that did not come. What may have been done, and may not be done twice, is not tried again by itself. */
  #lost(fault: EgressError, mask: (text: string) => string): Failed {
    const { connector } = this;
    // To have asked in vain, before anything else was done, is no harm.
    const loss = this.#wrote ? this.loss : 'repeat';
    const message = `${connector.title}: ${mask(fault.message)}`;
    const unknown = loss === 'tell' && (fault.kind === 'timeout' || fault.kind === 'connect') && !neverBegan(fault);
    if (unknown) return failFinally('outcome_unknown', `${message}. It may have been done, or not`);
    return failConnection('connector', fault, message);
  }
}

/** Codes of a connection that was never made: nothing has been sent. */
const NEVER_MADE = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;

const neverBegan = ({ cause }: EgressError): boolean => NEVER_MADE.test(codeOf(cause));

function outcomeOf(
  fault: ConnectorFault,
  { title }: Connector,
  status: number,
  mask: (text: string) => string,
): Failed {
  const words = excerpt(mask(fault.message));
  return {
    kind: 'fail',
    error: { code: wordOf(fault.code), message: `${title} answered ${status}${words && `: ${words}`}` },
    retryable: fault.retryable,
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
  };
}

/** A provider's word as a code of ours. */
function wordOf(code: string): string {
  const word = code.replace(/[^\w.-]+/g, '_').slice(0, 100);
  return /^[A-Za-z]/.test(word) ? word : `provider_${word}`;
}

/** Forms that credentials take on their way, which a provider may quote. */
function hiddenForms({ headers = {} }: ConnectorRequest, values: readonly string[]): string[] {
  const { authorization = '' } = headers;
  return [
    ...values.flatMap((value) => [
      encodeURIComponent(Buffer.from(value).toString()),
      new URLSearchParams([['', value]]).toString().slice(1),
    ]),
    ...authorization.split(' ').slice(1),
  ];
}
