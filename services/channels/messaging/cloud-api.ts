import type { JsonObject } from '../../../lib/json';
import { type Fields, idOf, instantOf, listOf, numberOf, objectOf, textOf } from './fields';
import { ignored, type Incoming, type InboundMessage, type Media, type MessageType, PLAIN } from './message';

type Content = Pick<InboundMessage, 'type' | 'text'> &
  Partial<Pick<InboundMessage, 'media' | 'payload' | 'location' | 'reply_to'>>;

const SECONDS = 1_000;
const FILES: ReadonlySet<string> = new Set<MessageType>(['image', 'audio', 'video', 'document', 'sticker']);

/**
 * The messages in a request of the WhatsApp Cloud API (`object: whatsapp_business_account`): `entry[].changes[]` with the
 * field `messages`. Statuses and other fields are ignored. Pure; the body is untrusted JSON.
 */
export function readCloudApi(body: unknown, now: number): Incoming[] {
  const root = objectOf(body);
  if (root.object !== 'whatsapp_business_account') return [ignored('another object')];
  return listOf(root.entry)
    .map(objectOf)
    .flatMap((entry) => listOf(entry.changes).flatMap((change) => readChange(entry, objectOf(change), now)));
}

function readChange(entry: Fields, change: Fields, now: number): Incoming[] {
  const value = objectOf(change.value);
  if (change.field !== 'messages') return [ignored(`field ${textOf(change.field)?.slice(0, 100) ?? 'without a name'}`)];
  const { contacts: _contacts, messages: _messages, statuses, ...around } = value;
  const people = new Map(listOf(value.contacts).map((contact) => [objectOf(contact).wa_id, contact]));
  const found = listOf(value.messages).map((message) => {
    const contact = people.get(objectOf(message).from);
    const own = { ...around, ...(contact === undefined ? {} : { contacts: [contact] }), messages: [message] };
    const alone = { object: 'whatsapp_business_account', entry: [{ ...entry, changes: [{ ...change, value: own }] }] };
    // Parsed JSON.
    return readMessage(objectOf(message), value, objectOf(contact), alone as unknown as JsonObject, now);
  });
  return [...found, ...listOf(statuses).map(() => ignored('status'))];
}

function readMessage(message: Fields, value: Fields, contact: Fields, body: JsonObject, now: number): Incoming {
  const [id, from] = [idOf(message.id), idOf(message.from)];
  if (id === null || from === null) return ignored('message without id or sender');
  const metadata = objectOf(value.metadata);
  return {
    kind: 'message',
    message: {
      ...PLAIN,
      id,
      from,
      to: textOf(metadata.display_phone_number),
      account: textOf(metadata.phone_number_id),
      timestamp: instantOf(message.timestamp, SECONDS, now),
      reply_to: idOf(objectOf(message.context).id),
      ...contentOf(message),
    },
    contact: { id: from, name: textOf(objectOf(contact.profile).name) },
    body,
  };
}

function contentOf(message: Fields): Content {
  const { type } = message;
  const part = objectOf(typeof type === 'string' && Object.hasOwn(message, type) ? message[type] : undefined);
  if (typeof type === 'string' && FILES.has(type)) {
    return { type: type as MessageType, text: textOf(part.caption), media: [mediaOf(part)] };
  }
  switch (type) {
    case 'text':
      return { type, text: textOf(part.body) };
    case 'button':
      return { type, text: textOf(part.text), payload: textOf(part.payload) };
    case 'interactive':
      return interactiveOf(part);
    case 'reaction':
      // Without an emoji the reaction was removed.
      return { type, text: textOf(part.emoji), reply_to: idOf(part.message_id) };
    case 'location':
      return locationOf(part);
    case 'contacts':
      return { type, text: null };
    default:
      return { type: 'unsupported', text: null };
  }
}

/** A reply to buttons, a list, or a form. */
function interactiveOf(part: Fields): Content {
  const reply = objectOf(part.type === 'list_reply' ? part.list_reply : part.button_reply);
  if (part.type === 'button_reply' || part.type === 'list_reply') {
    return { type: 'button', text: textOf(reply.title), payload: textOf(reply.id) };
  }
  const form = objectOf(part.nfm_reply);
  return { type: 'interactive', text: textOf(form.body), payload: textOf(form.response_json) };
}

function locationOf(part: Fields): Content {
  const [latitude, longitude] = [numberOf(part.latitude), numberOf(part.longitude)];
  const name = textOf(part.name);
  if (latitude === null || longitude === null) return { type: 'location', text: name };
  return { type: 'location', text: name, location: { latitude, longitude, name, address: textOf(part.address) } };
}

const mediaOf = (part: Fields): Media => ({
  id: idOf(part.id),
  url: textOf(part.url),
  mime_type: textOf(part.mime_type),
  filename: textOf(part.filename),
});
