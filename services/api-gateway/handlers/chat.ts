import type { ServerResponse } from 'node:http';
import { networkOf } from '../../../lib/client-network';
import { AppError } from '../../../lib/errors';
import { derivedId, isUuid, timeId } from '../../../lib/ids';
import { isObject, type JsonObject } from '../../../lib/json';
import type { ChatEndpoint } from '../../../contracts/channels/chat';
import type { Gateway } from '../gateway';
import { REPLAYED, sendAnswer } from '../http/answer';
import { type BodyRules, jsonBody } from '../http/body';
import { addressOf, type GatewayRequest, prefers } from '../http/request';
import { idempotencyKeyOf } from '../idempotency';
import type { ChatRoute } from '../routes/route';
import type { Watchers } from '../sse/watchers';
import { streamReply } from './chat-stream';

/** Limits of a request body: a message and additional fields of the page. */
const MESSAGE_BODY: BodyRules = { maxBytes: 128 * 1024, compressed: false };

/** Serves visitors of a chat: its public configuration, and replies, complete or streamed. */
export async function serveChat(
  gateway: Gateway,
  watchers: Watchers,
  route: ChatRoute,
  slug: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const endpoint = await gateway.call('channels.chat_door', { slug }, null, request);
  openTo(response, endpoint, request.headers.origin, ownOrigin(gateway, request));
  if (request.method !== 'POST') return sendAnswer(response, { status: 200, body: endpoint.config });
  const now = gateway.app.clock.now();
  await gateway.chats.admit(endpoint, `at ${networkOf(addressOf(request)).network}`, now);
  const body = await messageOf(gateway, route, request, response);
  const conversation = conversationIn(body);
  if (conversation !== null) await gateway.chats.admit(endpoint, `in ${conversation}`, now);
  const message = { slug, body, execution_id: runFor(gateway, endpoint, conversation, request, now) };
  const streams = prefers(request.headers.accept, 'text/event-stream');
  const visitor = { network: networkOf(addressOf(request)).network, tenantId: null };
  if (streams) watchers.assertRoom(message.execution_id, visitor);
  // The permit is held until the reply is complete, even if the visitor disconnects.
  const release = gateway.chats.acquire(endpoint);
  const talk = () => gateway.call('channels.chat', message, null, request);
  if (streams)
    return streamReply({
      gateway,
      watchers,
      visitor,
      executionId: message.execution_id,
      talk,
      leave: release,
      request,
      response,
    });
  const { answer, replayed } = await talk().finally(release);
  await sendAnswer(response, { status: 200, body: answer, ...(replayed ? { headers: REPLAYED } : {}) });
}

/** Where the page of the chat is, which may always use it: as configured, else as the request came. */
function ownOrigin({ app: { config } }: Gateway, { client }: GatewayRequest): string | null {
  return config.baseUrl === null ? client.origin : new URL(config.baseUrl).origin;
}

/** Sets the CORS headers of the chat. @throws AppError forbidden for other origins */
function openTo(
  response: ServerResponse,
  { allowed_origins: origins }: ChatEndpoint,
  origin: string | undefined,
  own: string | null,
): void {
  if (origins.length === 0) return;
  response.setHeader('Vary', 'Origin');
  response.removeHeader('Access-Control-Allow-Origin');
  // Only browsers send an Origin.
  if (origin === undefined) return;
  if (!origins.includes(origin) && origin !== own)
    throw new AppError('forbidden', `Pages of ${origin} may not use this chat`);
  response.setHeader('Access-Control-Allow-Origin', origin);
}

async function messageOf(
  gateway: Gateway,
  route: ChatRoute,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<JsonObject> {
  const body = await jsonBody(request, await gateway.body(route, request, response, MESSAGE_BODY));
  if (isObject(body)) return body;
  throw new AppError('invalid_request', 'The body must be a JSON object');
}

/**
 * The conversation of a message; null for a new one, and for an id that is not a string. The rate limiter stores the id, so
 * only UUIDs are accepted. @throws AppError not_found
 */
function conversationIn({ conversation_id: id }: JsonObject): string | null {
  if (typeof id !== 'string') return null;
  if (isUuid(id)) return id;
  throw new AppError('not_found', 'There is no such conversation');
}

/**
 * The id of the run: a new one, or derived from the Idempotency-Key. Visitors choose their keys, so a key is scoped to its
 * conversation, or to the client's network for a new one: a guessed key does not return the reply of another visitor.
 */
function runFor(
  gateway: Gateway,

  endpoint: ChatEndpoint,
  conversation: string | null,
  request: GatewayRequest,
  now: number,
): string {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return timeId(now);
  const from = conversation === null ? `at ${networkOf(addressOf(request)).network}` : `in ${conversation}`;
  return derivedId(gateway.app.keys.ids, 'chat', endpoint.id, from, key);
}
