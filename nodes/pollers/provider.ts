import type { Json, JsonObject } from '../../lib/json';
import type { NodeConnection, NodeHttp } from '../contract';
import type { PollWorld } from './contract';
import { misconfigured, PollFault, statusFault } from './fault';
import { objectInBytes } from './page';

type Response = Awaited<ReturnType<NodeHttp['request']>>;

/** An API behind connections of the tenant. */
export interface Provider {
  /** What the operator calls it, where its API is somewhere else. */
  readonly name: string;
  readonly base: string;
  /** Connectors and OAuth providers whose connections will do. */
  readonly connectors: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** What is wrong with an answer whose status says nothing; null where nothing is. */
  fault?(body: JsonObject): PollFault | null;
}

/** A question to a provider. The path is made so that no value can leave it. */
export interface Question {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  /** Sent as JSON, by POST. */
  readonly body?: Json;
  /** Statuses that are an answer too. */
  readonly expected?: readonly number[];
}

/** What a provider has answered: its JSON, and the status that it has. */
export interface ProviderAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** Asks a provider with the trigger's connection. */
export type Ask = (question: Question) => Promise<ProviderAnswer>;

/** Where a connection keeps what it shows. */
const TOKEN = 'access_token';
/** The code of a fault that another access token may mend. */
export const TOKEN_REFUSED = 'token_refused';

/**
 * A way to ask a provider. An access token that it refuses is renewed once, wherever it is refused.
 * @throws PollFault where the tenant has no connection that counts
 */
export async function askerOf(world: PollWorld, provider: Provider): Promise<Ask> {
  let account = await accountOf(world, provider);
  let renewed = false;
  return async function ask(question) {
    try {
      return await exchange(world, provider, account, question);
    } catch (thrown) {
      if (renewed || !(thrown instanceof PollFault) || thrown.code !== TOKEN_REFUSED) throw thrown;
      renewed = true;
      account = await accountOf(world, provider, account.credentials[TOKEN]);
      return exchange(world, provider, account, question);
    }
  };
}

async function accountOf({ config, connection }: PollWorld, { connectors }: Provider, refused?: string) {
  const wanted = refused === undefined ? { connectors } : { connectors, refused };
  const found = await connection(String(config.connection ?? ''), wanted);
  if (found.kind === 'refused') throw new PollFault(found.error.code, found.error.message, false);
  if (!found.connection.credentials[TOKEN]) throw misconfigured(`the connection has no "${TOKEN}"`);
  return found.connection;
}

async function exchange(
  { http, signal, now, connectorUrls }: PollWorld,
  { name, base, headers, fault }: Provider,
  { credentials }: NodeConnection,
  { path, query = {}, body, expected = [] }: Question,
): Promise<ProviderAnswer> {
  const parameters = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const search = parameters.size === 0 ? '' : `?${parameters}`;
  const response = await http.request({
    method: body === undefined ? 'GET' : 'POST',
    url: `${(connectorUrls.get(name) ?? base).replace(/\/+$/, '')}${path}${search}`,
    headers: {
      accept: 'application/json',
      ...headers,
      authorization: `Bearer ${credentials[TOKEN]}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // Credentials go where they are meant to go, and nowhere else.
    maxRedirects: 0,
    signal,
  });
  return judged(response, { now, fault, expected });
}

function judged(
  response: Response,
  { now, fault, expected }: { now: number; fault: Provider['fault']; expected: readonly number[] },
): ProviderAnswer {
  const { status } = response;
  if (status === 401) throw new PollFault(TOKEN_REFUSED, 'the provider refuses the connection', false);
  if (expected.includes(status)) return { status, body: {} };
  const refused = statusFault(response, now);
  if (refused !== null) throw refused;
  const body = objectInBytes(response.body, 'the answer of the provider');
  const wrong = fault?.(body) ?? null;
  if (wrong !== null) throw wrong;
  return { status, body };
}
