import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { Account, Connector, ConnectorFault } from '../connectors/contract';
import { parseResponse } from '../connectors/http/response';
import { faultOf } from '../connectors/http/fault';
import { payloadOf } from '../connectors/http/payload';
import { urlOf } from '../connectors/http/url';
import type { PollContext } from './contract';
import { PollFault, unreadable } from './fault';

/** A request to a provider. The path is relative to the base URL of the connector; build it with `urlPath`. */
interface ProviderRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON with POST. */
  readonly body?: Json;
  /** Error statuses that are returned instead of thrown. */
  readonly expected?: readonly number[];
}

/** The status and JSON of a response. The body is empty for an expected error status. */
interface ProviderResponse {
  readonly status: number;
  readonly body: JsonObject;
}

/** Sends a request with the connection of the trigger. @throws PollFault, InvalidInputError, EgressError */
export type RequestProvider = (request: ProviderRequest) => Promise<ProviderResponse>;

/** An error response. `tokenRefused`: a refreshed access token may be accepted. */
class ProviderFault extends PollFault {
  readonly tokenRefused: boolean;

  constructor({ title }: Connector, status: number, fault: ConnectorFault) {
    const { code, message, retryable, retryAfterMs, tokenRefused = false } = fault;
    super(code, `${title} answered ${status}${message && `: ${message}`}`, retryable, retryAfterMs ?? null);
    this.tokenRefused = tokenRefused;
  }
}

/**
 * A client for the API of a provider. A rejected access token is refreshed once per poll.
 * @throws PollFault if the tenant has no valid connection
 */
export async function providerClient(context: PollContext, connector: Connector): Promise<RequestProvider> {
  let account = await accountOf(context, connector);
  let refreshed = false;
  return async function send(request) {
    try {
      return await exchange(context, connector, account, request);
    } catch (thrown) {
      const rejected = account.credentials.access_token;
      if (refreshed || rejected === undefined || !(thrown instanceof ProviderFault) || !thrown.tokenRefused)
        throw thrown;
      refreshed = true;
      account = await accountOf(context, connector, rejected);
      if (account.credentials.access_token === rejected) throw thrown;
      return exchange(context, connector, account, request);
    }
  };
}

async function accountOf(context: PollContext, { name, auth }: Connector, refused?: string): Promise<Account> {
  const connectors = [...new Set([name, ...(auth.oauth === undefined ? [] : [auth.oauth.provider])])];
  const wanted = refused === undefined ? { connectors } : { connectors, refused };
  const found = await context.connection(String(context.config.connection ?? ''), wanted);
  if (found.kind === 'refused') throw new PollFault(found.error.code, found.error.message, false);
  return found.connection;
}

async function exchange(
  { http, signal, now, connectorUrls }: PollContext,
  connector: Connector,
  account: Account,
  { path, query = {}, body, expected = [] }: ProviderRequest,
): Promise<ProviderResponse> {
  const method = body === undefined ? 'GET' : 'POST';
  const request = connector.sign({ method, url: path, query, body }, account);
  const payload = payloadOf(request);
  const received = await http.request({
    method,
    url: urlOf(request, { provider: connector.base(account), operator: connectorUrls.get(connector.name) }),
    headers: payload.headers,
    ...(payload.body === undefined ? {} : { body: payload.body }),
    // Credentials are not sent to the target of a redirect.
    maxRedirects: 0,
    signal,
  });
  const response = await parseResponse(received);
  if (expected.includes(response.status)) return { status: response.status, body: {} };
  const fault = faultOf(connector, response, now);
  if (fault !== null) throw new ProviderFault(connector, response.status, fault);
  if (!isObject(response.body)) throw unreadable(`${connector.title} did not answer with JSON`);
  return { status: response.status, body: response.body };
}
