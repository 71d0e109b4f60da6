import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import { derivedId, isUuid, timeId } from '../../../lib/ids';
import { isObject, type JsonObject } from '../../../lib/json';
import type { ChatDoor } from '../../channels/contract';
import type { Gateway } from '../gateway';
import { REPLAYED, sendAnswer } from '../http/answer';
import { jsonBody, readBody } from '../http/body';
import { addressOf, type GatewayRequest, prefers } from '../http/request';
import { idempotencyKeyOf } from '../once';
import type { Watchers } from '../sse/watchers';
import { streamReply } from './chat-stream';

/** A message, and whatever the page says beside it. */
const MOST_BYTES = 128 * 1024;

/** Serves visitors of a chat: what it is, and replies to their messages, whole or as they come. */
export async function serveChat(
  gateway: Gateway,
  watchers: Watchers,
  slug: string,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const door = await gateway.call('channels.chat_door', { slug }, null, request);
  openTo(response, door, request.headers.origin);
  if (request.method !== 'POST') return sendAnswer(response, { status: 200, body: door.config });
  const now = gateway.app.clock.now();
  await gateway.chats.admit(door, `at ${addressOf(request)}`, now);
  const body = await messageOf(gateway, request, response);
  const conversation = conversationIn(body);
  if (conversation !== null) await gateway.chats.admit(door, `in ${conversation}`, now);
  const message = { slug, body, execution_id: runFor(gateway, door, conversation, request, now) };
  const streams = prefers(request.headers.accept, 'text/event-stream');
  if (streams) watchers.assertRoom();
  // The place is taken until the reply is there, whether or not the visitor waits for it.
  const leave = gateway.chats.enter(door);
  const talk = () => gateway.call('channels.chat', message, null, request);
  if (streams)
    return streamReply({ gateway, watchers, executionId: message.execution_id, talk, leave, request, response });
  const { answer, replayed } = await talk().finally(leave);
  sendAnswer(response, { status: 200, body: answer, ...(replayed ? { headers: REPLAYED } : {}) });
}

/** Lets the pages of some sites, or of all, read the answer. @throws AppError forbidden for those of others */
function openTo(response: ServerResponse, { allowed_origins: origins }: ChatDoor, origin: string | undefined): void {
  if (origins.length === 0) return;
  response.setHeader('Vary', 'Origin');
  response.removeHeader('Access-Control-Allow-Origin');
  // Whoever is no browser sends none.
  if (origin === undefined) return;
  if (!origins.includes(origin)) throw new AppError('forbidden', `Pages of ${origin} may not use this chat`);
  response.setHeader('Access-Control-Allow-Origin', origin);
}

async function messageOf(gateway: Gateway, request: GatewayRequest, response: ServerResponse): Promise<JsonObject> {
  const bytes = await readBody(request, MOST_BYTES, gateway.bodies.share(response));
  const body = jsonBody(request, bytes);
  if (isObject(body)) return body;
  throw new AppError('invalid_request', 'The body must be a JSON object');
}

/**
 * The conversation that a message goes on with; null where it begins one, or says what is no name at all. Its name is
 * remembered with its pace, so it has to look like one of ours before that. @throws AppError not_found
 */
function conversationIn({ conversation_id: id }: JsonObject): string | null {
  if (typeof id !== 'string') return null;
  if (isUuid(id)) return id;
  throw new AppError('not_found', 'There is no such conversation');
}

/**
 * The id of the run: a new one, or with an Idempotency-Key always the same. Visitors choose their keys, so a key counts
 * for one conversation, or for one address where there is none yet: nobody gets another's reply by guessing.
 */
function runFor(
  gateway: Gateway,
  door: ChatDoor,
  conversation: string | null,
  request: GatewayRequest,
  now: number,
): string {
  const key = idempotencyKeyOf(request);
  if (key === undefined) return timeId(now);
  const from = conversation === null ? `at ${addressOf(request)}` : `in ${conversation}`;
  return derivedId(gateway.app.keys.ids, 'chat', door.id, from, key);
}
