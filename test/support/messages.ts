import { createHmac } from 'node:crypto';
import type { Json, JsonObject } from '../../lib/json';

/** A request of the Cloud API with these messages, in the shape of its documentation. */
export const cloudApi = (messages: readonly JsonObject[], value: JsonObject = {}): JsonObject => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '8856996819413533',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '16505553333', phone_number_id: '27681414235104944' },
            contacts: [{ profile: { name: 'Kerry Fisher' }, wa_id: '16315551234' }],
            messages: messages as Json[],
            ...value,
          },
        },
      ],
    },
  ],
});

/** A text message of the Cloud API. */
export const cloudText = (id: string, body: string, more: JsonObject = {}): JsonObject => ({
  from: '16315551234',
  id,
  timestamp: '1603059201',
  text: { body },
  type: 'text',
  ...more,
});

/** A request about a page, or with `instagram` about a professional account. */
export const pageEvents = (events: readonly JsonObject[], object = 'page'): JsonObject => ({
  object,
  entry: [{ id: '1094324', time: 1_458_692_752_478, messaging: events as Json[] }],
});

/** An event of a conversation with a page. */
export const pageEvent = (content: JsonObject): JsonObject => ({
  sender: { id: '4815162342' },
  recipient: { id: '1094324' },
  timestamp: 1_458_692_752_478,
  ...content,
});

/** A message as the provider of forms sends it. */
export const formMessage = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  ToCountry: 'US',
  SmsMessageSid: 'SM0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  NumMedia: '0',
  ProfileName: 'Grace',
  SmsSid: 'SM0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  WaId: '14155238886',
  SmsStatus: 'received',
  Body: 'Ahoy! 👋',
  To: 'whatsapp:+15005550006',
  NumSegments: '1',
  MessageSid: 'SM0a1b2c3d4e5f60718293a4b5c6d7e8f9',
  AccountSid: 'AC0123456789abcdef0123456789abcdef',
  From: 'whatsapp:+14155238886',
  ApiVersion: '2010-04-01',
  ...more,
});

/** `X-Hub-Signature-256`, as the provider documents it. */
export const hubSignature = (body: string | Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** `X-Twilio-Signature`, as the provider documents it, for fields that are there once. */
export const formSignature = (url: string, fields: Readonly<Record<string, string>>, token: string): string =>
  createHmac('sha1', token)
    .update(
      Object.keys(fields)
        .sort()
        .reduce((text, name) => text + name + fields[name], url),
    )
    .digest('base64');
