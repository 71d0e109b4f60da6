import { type Client, type ClientOptions, createClient, EverstepError } from '../../../clients/typescript/src/index.ts';
import { session } from '../app/session';
import { connection } from './connection';

export type * from '../../../clients/typescript/src/api.ts';
export { EverstepError };

type Fetch = NonNullable<ClientOptions['fetch']>;

// The only place of the console that reaches the network; a lint rule refuses it elsewhere.
const send: Fetch = async (input, init) => {
  try {
    // oxlint-disable-next-line no-restricted-globals
    const response = await fetch(input, init);
    connection.reached();
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) connection.lost();
    throw error;
  }
};

/** A request whose session has ended waits for a new sign-in over the page, and is sent again: no input is lost. */
const sendSignedIn: Fetch = async (input, init) => {
  const response = await send(input, init);
  const headers = new Headers(init?.headers);
  const used = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1];
  if (response.status !== 401 || used === undefined || !(await isEndedSession(response.clone()))) return response;
  const renewed = await session.renew(used);
  if (renewed === null) return response;
  headers.set('authorization', `Bearer ${renewed}`);
  return send(input, { ...init, headers });
};

async function isEndedSession(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'code' in body && body.code === 'unauthenticated';
}

const baseUrl = location.origin;
/** Before a stream that the server has ended is opened again. Pages of many users do not do it at the same moment. */
const MIN_RECONNECT_MS = 500;

/** The API as the signed-in user. */
export const api: Client = createClient({ baseUrl, token: () => session.token ?? '', fetch: sendSignedIn });

/** The same for streams: their reader decides when to connect again. */
export const streams: Client = createClient({
  baseUrl,
  token: () => session.token ?? '',
  fetch: sendSignedIn,
  retry: { attempts: 1, firstMs: MIN_RECONNECT_MS + Math.random() * MIN_RECONNECT_MS },
});

/** The API without a session, for pages before sign-in; a 401 is an answer like others here. */
export const publicApi: Client = createClient({ baseUrl, fetch: send });

/** Whether the server was not reached, so that the same request will work later. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof EverstepError && (error.code === 'unreachable' || error.status === 502 || error.status === 503);
