import type { Query } from '../../../lib/http-body/form';
import { idOf, numberOf, textOf } from './fields';
import { ignored, type Incoming, type InboundMessage, type Media, type MessageType, PLAIN } from './message';

/** The provider sends fewer. */
const MAX_MEDIA = 50;
/** Statuses of received messages; status callbacks have other ones. */
const RECEIVED: ReadonlySet<string> = new Set(['received', 'receiving']);
const SENDER = /^(?:[a-z]+:)?\+?[\w.@-]{1,200}$/i;

/**
 * The message in a form of the provider (Twilio webhooks). Fields are unique, because the signature does not cover the
 * order of repeated fields. Status callbacks are ignored. Pure.
 */
export function readForm(fields: Query, now: number): Incoming[] {
  const field = (name: string): string | null => textOf(fields[name]);
  const status = field('MessageStatus') ?? field('SmsStatus');
  if (status !== null && !RECEIVED.has(status.toLowerCase())) return [ignored('status')];
  const [id, from, to] = [idOf(field('MessageSid') ?? field('SmsMessageSid')), field('From'), field('To')];
  if (id === null || from === null || !SENDER.test(from)) return [ignored('form without a message')];
  const media = mediaOf(field);
  const button = field('ButtonPayload');
  return [
    {
      kind: 'message',
      message: {
        ...PLAIN,
        id,
        from,
        to,
        account: to,
        timestamp: new Date(now).toISOString(),
        text: field('Body') ?? field('ButtonText'),
        media,
        reply_to: idOf(field('OriginalRepliedMessageSid')),
        payload: button ?? field('ListId'),
        type: typeOf(field, media),
        location: locationOf(field),
      },
      contact: { id: field('WaId') ?? from, name: field('ProfileName') },
      body: { ...fields },
    },
  ];
}

type Field = (name: string) => string | null;

function typeOf(field: Field, [first]: readonly Media[]): MessageType {
  if (field('ButtonPayload') !== null || field('ListId') !== null) return 'button';
  if (field('Latitude') !== null && field('Longitude') !== null) return 'location';
  if (first !== undefined) {
    const [family] = (first.mime_type ?? '').split('/', 1);
    return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
  }
  return field('Body') === null ? 'unsupported' : 'text';
}

function mediaOf(field: Field): Media[] {
  const count = Math.min(MAX_MEDIA, Math.max(0, Math.trunc(numberOf(field('NumMedia')) ?? 0)));
  return Array.from({ length: count }, (_, n) => ({
    id: null,
    url: field(`MediaUrl${n}`),
    mime_type: field(`MediaContentType${n}`),
    filename: null,
  })).filter(({ url }) => url !== null);
}

function locationOf(field: Field): InboundMessage['location'] {
  const [latitude, longitude] = [numberOf(field('Latitude')), numberOf(field('Longitude'))];
  if (latitude === null || longitude === null) return null;
  return { latitude, longitude, name: field('Label'), address: field('Address') };
}
