import { sha256 } from '../../../lib/crypto';
import type { JsonObject } from '../../../lib/json';
import { type Fields, idOf, instantOf, listOf, numberOf, objectOf, textOf } from './fields';
import { ignored, type Incoming, type InboundMessage, type Media, type MessageType, PLAIN } from './message';

type Content = Pick<InboundMessage, 'id' | 'type' | 'text'> &
  Partial<Pick<InboundMessage, 'media' | 'payload' | 'location' | 'reply_to'>>;

const MILLISECONDS = 1;
const ATTACHMENTS: Readonly<Record<string, MessageType>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
  file: 'document',
  location: 'location',
  ig_reel: 'video',
  reel: 'video',
};
/** Events of a conversation that are not messages. */
const NOTICES = ['delivery', 'read', 'optin', 'referral', 'account_linking', 'policy_enforcement', 'message_edit'];

/**
 * The messages in a request of Messenger or Instagram (`object: page` or `instagram`): `entry[].messaging[]`. Echoes,
 * receipts and deletions are ignored. Pure; the body is untrusted JSON.
 */
export function readPage(body: unknown, now: number): Incoming[] {
  const root = objectOf(body);
  if (root.object !== 'page' && root.object !== 'instagram') return [ignored('another object')];
  return listOf(root.entry)
    .map(objectOf)
    .flatMap((entry) => [
      ...listOf(entry.messaging).map((event) => {
        const { messaging: _all, ...around } = entry;
        const alone = { object: root.object, entry: [{ ...around, messaging: [event] }] };
        // Parsed JSON.
        return readEvent(objectOf(event), entry, alone as unknown as JsonObject, now);
      }),
      ...listOf(entry.standby).map(() => ignored('standby')),
      ...listOf(entry.changes).map(() => ignored('change')),
    ]);
}

function readEvent(event: Fields, entry: Fields, body: JsonObject, now: number): Incoming {
  const from = idOf(objectOf(event.sender).id);
  if (from === null) return ignored('event without a sender');
  const content = contentOf(event, from);
  if (typeof content === 'string') return ignored(content);
  const to = idOf(objectOf(event.recipient).id);
  return {
    kind: 'message',
    message: {
      ...PLAIN,
      from,
      to,
      account: idOf(entry.id) ?? to,
      timestamp: instantOf(event.timestamp, MILLISECONDS, now),
      ...content,
    },
    contact: { id: from, name: null },
    body,
  };
}

/** The content of a message; for another event, the name of its kind. */
function contentOf(event: Fields, from: string): Content | string {
  if (event.message !== undefined) return messageOf(objectOf(event.message));
  if (event.postback !== undefined) {
    const postback = objectOf(event.postback);
    const id = idOf(postback.mid) ?? contentId('postback', from, event.timestamp, postback.payload);
    return { id, type: 'button', text: textOf(postback.title), payload: textOf(postback.payload) };
  }
  if (event.reaction !== undefined) {
    const reaction = objectOf(event.reaction);
    const id = contentId('reaction', from, event.timestamp, reaction.mid, reaction.action, reaction.emoji);
    const sign = reaction.action === 'unreact' ? null : (textOf(reaction.emoji) ?? textOf(reaction.reaction));
    return { id, type: 'reaction', text: sign, reply_to: idOf(reaction.mid) };
  }
  return NOTICES.find((notice) => Object.hasOwn(event, notice)) ?? 'another event';
}

function messageOf(message: Fields): Content | string {
  if (message.is_echo === true) return 'echo';
  if (message.is_deleted === true) return 'deletion';
  const id = idOf(message.mid);
  if (id === null) return 'message without id';
  const around = { id, text: textOf(message.text), reply_to: idOf(objectOf(message.reply_to).mid) };
  if (message.quick_reply !== undefined) {
    return { ...around, type: 'button', payload: textOf(objectOf(message.quick_reply).payload) };
  }
  const attachments = listOf(message.attachments).map(objectOf);
  const [first] = attachments;
  if (first === undefined) return { ...around, type: around.text === null ? 'unsupported' : 'text' };
  return { ...around, type: typeOf(first), media: attachments.flatMap(mediaOf), ...locationOf(first) };
}

function typeOf({ type, payload }: Fields): MessageType {
  if (objectOf(payload).sticker_id !== undefined) return 'sticker';
  return typeof type === 'string' && Object.hasOwn(ATTACHMENTS, type)
    ? (ATTACHMENTS[type] as MessageType)
    : 'unsupported';
}

function mediaOf({ payload }: Fields): Media[] {
  const url = textOf(objectOf(payload).url);
  return url === null ? [] : [{ id: null, url, mime_type: null, filename: null }];
}

function locationOf({ payload, title }: Fields): Pick<Content, 'location'> {
  const coordinates = objectOf(objectOf(payload).coordinates);
  const [latitude, longitude] = [numberOf(coordinates.lat), numberOf(coordinates.long)];
  if (latitude === null || longitude === null) return {};
  return { location: { latitude, longitude, name: textOf(title), address: null } };
}

/** An id derived from the content of an event without one, so that repeated deliveries have the same id. */
const contentId = (...parts: readonly unknown[]): string => `${String(parts[0])}:${sha256(JSON.stringify(parts))}`;
