import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { Account, Connector, ConnectorFault } from '../connectors/contract';
import { answerOf } from '../connectors/http/answer';
import { faultOf } from '../connectors/http/fault';
import { payloadOf } from '../connectors/http/payload';
import { urlOf } from '../connectors/http/url';
import type { PollWorld } from './contract';
import { PollFault, unreadable } from './fault';

/** A question to a provider. The path stands under the connector's base, made so that no value can leave it. */
interface Question {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON, by POST. */
  readonly body?: Json;
  /** Statuses that are an answer too. */
  readonly expected?: readonly number[];
}

/** What a provider has answered: its JSON, which is empty for a status that was expected. */
interface ProviderAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Asks a provider with the trigger's connection. @throws PollFault, Unusable, EgressError */
export type Ask = (question: Question) => Promise<ProviderAnswer>;

/** What a provider says against a question; `tokenRefused`: another access token may do. */
class Refused extends PollFault {
  readonly tokenRefused: boolean;

  constructor({ title }: Connector, status: number, fault: ConnectorFault) {
    const { code, message, retryable, retryAfterMs, tokenRefused = false } = fault;
    super(code, `${title} answered ${status}${message && `: ${message}`}`, retryable, retryAfterMs ?? null);
    this.tokenRefused = tokenRefused;
  }
}

/**
 * A way to ask a provider. An access token that it refuses is renewed once, wherever it is refused.
 * @throws PollFault where the tenant has no connection that counts
 */
export async function askerOf(world: PollWorld, connector: Connector): Promise<Ask> {
  let account = await accountOf(world, connector);
  let renewed = false;
  return async function ask(question) {
    try {
      return await exchange(world, connector, account, question);
    } catch (thrown) {
      const refused = account.credentials.access_token;
      if (renewed || refused === undefined || !(thrown instanceof Refused) || !thrown.tokenRefused) throw thrown;
      renewed = true;
      account = await accountOf(world, connector, refused);
      if (account.credentials.access_token === refused) throw thrown;
      return exchange(world, connector, account, question);
    }
  };
}

async function accountOf(world: PollWorld, { name, auth }: Connector, refused?: string): Promise<Account> {
  const connectors = [...new Set([name, ...(auth.oauth === undefined ? [] : [auth.oauth.provider])])];
  const wanted = refused === undefined ? { connectors } : { connectors, refused };
  const found = await world.connection(String(world.config.connection ?? ''), wanted);
  if (found.kind === 'refused') throw new PollFault(found.error.code, found.error.message, false);
  return found.connection;
}

async function exchange(
  { http, signal, now, connectorUrls }: PollWorld,
  connector: Connector,
  account: Account,
  { path, query = {}, body, expected = [] }: Question,
): Promise<ProviderAnswer> {
  const method = body === undefined ? 'GET' : 'POST';
  const request = connector.sign({ method, url: path, query, body }, account);
  const payload = payloadOf(request);
  const response = await http.request({
    method,
    url: urlOf(request, { known: connector.base(account), operator: connectorUrls.get(connector.name) }),
    headers: payload.headers,
    ...(payload.body === undefined ? {} : { body: payload.body }),
    // Credentials go where they are meant to go, and nowhere else.
    maxRedirects: 0,
    signal,
  });
  const answer = await answerOf(response);
  if (expected.includes(answer.status)) return { status: answer.status, body: {} };
  const fault = faultOf(connector, answer, now);
  if (fault !== null) throw new Refused(connector, answer.status, fault);
  if (!isObject(answer.body)) throw unreadable(`${connector.title} answers with something else than JSON`);
  return { status: answer.status, body: answer.body };
}
