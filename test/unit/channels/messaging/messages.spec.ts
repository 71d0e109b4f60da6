import fc from 'fast-check';
import { parseQuery } from '../../../../lib/http-body/form';
import type { JsonObject } from '../../../../lib/json';
import { readCloudApi } from '../../../../services/channels/messaging/cloud-api';
import { readForm } from '../../../../services/channels/messaging/form';
import type { Incoming } from '../../../../services/channels/messaging/message';
import { readPage } from '../../../../services/channels/messaging/page';
import { cloudApi, cloudText, formMessage, pageEvent, pageEvents } from '../../../support/messages';

const NOW = Date.parse('2026-11-22T01:00:00.000Z');
const messageIn = ([first]: readonly Incoming[]) => {
  if (first?.kind !== 'message') throw new Error(`no message: ${JSON.stringify(first)}`);
  return first;
};
const ignoredIn = (found: readonly Incoming[]): string[] =>
  found.map((each) => (each.kind === 'ignored' ? each.what : 'message'));

describe('a request of the Cloud API', () => {
  const read = (message: JsonObject) => messageIn(readCloudApi(cloudApi([message]), NOW)).message;
  const of = (type: string, part: JsonObject, more: JsonObject = {}): JsonObject => ({
    from: '16315551234',
    id: 'wamid.ABC==',
    timestamp: '1603059201',
    type,
    [type]: part,
    ...more,
  });

  test('has the sender, the recipient, the text and the time', () => {
    const { message, contact, body } = messageIn(readCloudApi(cloudApi([cloudText('wamid.1', 'Hello')]), NOW));
    expect(message).toEqual({
      id: 'wamid.1',
      from: '16315551234',
      to: '16505553333',
      account: '27681414235104944',
      type: 'text',
      text: 'Hello',
      media: [],
      timestamp: '2020-10-18T22:13:21.000Z',
      reply_to: null,
      payload: null,
      location: null,
    });
    expect(contact).toEqual({ id: '16315551234', name: 'Kerry Fisher' });
    expect(body).toEqual(cloudApi([cloudText('wamid.1', 'Hello')]));
  });

  test.each(['image', 'audio', 'video', 'document', 'sticker'])('with a file of type %s names it', (type) => {
    const part = { id: '1003383421387256', mime_type: 'x/y', sha256: 'abc', caption: 'Look', filename: 'a.pdf' };
    expect(read(of(type, part))).toMatchObject({
      type,
      text: 'Look',
      media: [{ id: '1003383421387256', url: null, mime_type: 'x/y', filename: 'a.pdf' }],
    });
  });

  test.each<[string, JsonObject, object]>([
    [
      'location',
      { latitude: 37.4829, longitude: -122.1484, name: 'Main Street Beach', address: 'Main Street' },
      {
        type: 'location',
        text: 'Main Street Beach',
        location: { latitude: 37.4829, longitude: -122.1484, name: 'Main Street Beach', address: 'Main Street' },
      },
    ],
    ['button', { text: 'No', payload: 'no-thanks' }, { type: 'button', text: 'No', payload: 'no-thanks' }],
    [
      'interactive',
      { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      { type: 'button', text: 'Yes', payload: 'yes' },
    ],
    [
      'interactive',
      { type: 'list_reply', list_reply: { id: 'row-7', title: 'Seven', description: 'x' } },
      { type: 'button', text: 'Seven', payload: 'row-7' },
    ],
    [
      'interactive',
      { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } },
      { type: 'interactive', text: 'Sent', payload: '{"a":1}' },
    ],
    ['reaction', { message_id: 'wamid.0', emoji: '👍' }, { type: 'reaction', text: '👍', reply_to: 'wamid.0' }],
    ['reaction', { message_id: 'wamid.0' }, { type: 'reaction', text: null, reply_to: 'wamid.0' }],
    ['unsupported', {}, { type: 'unsupported', text: null }],
    ['something_new', { body: 'x' }, { type: 'unsupported', text: null }],
  ])('of type %s with %j is read', (type, part, expected) => expect(read(of(type, part))).toMatchObject(expected));

  test('that replies to a message has its id', () => {
    const message = cloudText('wamid.2', 'Yes', { context: { from: '16505553333', id: 'wamid.1' } });
    expect(read(message).reply_to).toBe('wamid.1');
  });

  test('with several messages has each message with its sender', () => {
    const contacts = [
      { profile: { name: 'Ann' }, wa_id: '1' },
      { profile: { name: 'Bob' }, wa_id: '2' },
    ];
    const body = cloudApi([cloudText('a', 'A', { from: '1' }), cloudText('b', 'B', { from: '2' })], { contacts });
    const found = readCloudApi(body, NOW).map((each) => (each.kind === 'message' ? each : null));
    expect(found.map((each) => [each?.message.text, each?.contact.name])).toEqual([
      ['A', 'Ann'],
      ['B', 'Bob'],
    ]);
    expect(found[1]?.body).toEqual(
      cloudApi([cloudText('b', 'B', { from: '2' })], { contacts: [contacts[1]] as never }),
    );
  });

  test('about a delivery status, or of another field or object, has no message', () => {
    const statuses = [{ id: 'wamid.1', status: 'read', timestamp: '1', recipient_id: '1' }];
    const { object, entry } = cloudApi([], { statuses });
    expect(ignoredIn(readCloudApi({ object, entry } as JsonObject, NOW))).toEqual(['status']);
    const other = { object, entry: [{ id: '1', changes: [{ field: 'account_update', value: {} }] }] };
    expect(ignoredIn(readCloudApi(other, NOW))).toEqual(['field account_update']);
    expect(ignoredIn(readCloudApi({ object: 'page' }, NOW))).toEqual(['another object']);
  });
});

describe('a request about a page', () => {
  const read = (content: JsonObject) => messageIn(readPage(pageEvents([pageEvent(content)]), NOW)).message;

  test('has the sender, the text and the time', () => {
    const event = pageEvent({ message: { mid: 'm_1', text: 'hello, world!', reply_to: { mid: 'm_0' } } });
    const { message, contact, body } = messageIn(readPage(pageEvents([event]), NOW));
    expect(message).toEqual({
      id: 'm_1',
      from: '4815162342',
      to: '1094324',
      account: '1094324',
      type: 'text',
      text: 'hello, world!',
      media: [],
      timestamp: '2016-03-23T00:25:52.478Z',
      reply_to: 'm_0',
      payload: null,
      location: null,
    });
    expect(contact).toEqual({ id: '4815162342', name: null });
    expect(body).toEqual(pageEvents([event]));
  });

  test.each([
    ['image', 'image'],
    ['audio', 'audio'],
    ['video', 'video'],
    ['file', 'document'],
    ['template', 'unsupported'],
  ])('with an attachment of type %s is a message of type %s', (type, expected) => {
    const attachments = [{ type, payload: { url: 'https://cdn.test/1' } }];
    expect(read({ message: { mid: 'm', attachments } })).toMatchObject({
      type: expected,
      media: [{ id: null, url: 'https://cdn.test/1', mime_type: null, filename: null }],
    });
  });

  test.each<[JsonObject, object]>([
    [
      { message: { mid: 'm', attachments: [{ type: 'location', payload: { coordinates: { lat: 1.5, long: -2 } } }] } },
      { type: 'location', location: { latitude: 1.5, longitude: -2, name: null, address: null } },
    ],
    [
      { message: { mid: 'm', attachments: [{ type: 'image', payload: { url: 'u', sticker_id: 369 } }] } },
      { type: 'sticker' },
    ],
    [
      { message: { mid: 'm', text: 'Red', quick_reply: { payload: 'RED' } } },
      { type: 'button', text: 'Red', payload: 'RED' },
    ],
    [
      { postback: { mid: 'm_p', title: 'Start', payload: 'GO' } },
      { id: 'm_p', type: 'button', text: 'Start', payload: 'GO' },
    ],
    [
      { reaction: { mid: 'm_0', action: 'react', reaction: 'love', emoji: '❤' } },
      { type: 'reaction', text: '❤', reply_to: 'm_0' },
    ],
    [{ reaction: { mid: 'm_0', action: 'unreact' } }, { type: 'reaction', text: null, reply_to: 'm_0' }],
  ])('with %j is read', (content, expected) => expect(read(content)).toMatchObject(expected));

  test('a message without an id gets one from its content', () => {
    const press = (payload: string, timestamp = 1) => read({ timestamp, postback: { title: 'x', payload } }).id;
    expect(press('A')).toBe(press('A'));
    expect(new Set([press('A'), press('B'), press('A', 2)]).size).toBe(3);
  });

  test('of a professional account is parsed like one of a page', () => {
    const event = pageEvent({ message: { mid: 'ig_1', text: 'Hi' } });
    const { message, body } = messageIn(readPage(pageEvents([event], 'instagram'), NOW));
    expect(message).toMatchObject({ id: 'ig_1', text: 'Hi' });
    expect(body.object).toBe('instagram');
  });

  test.each<[JsonObject, string]>([
    [{ message: { mid: 'm', is_echo: true, text: 'x' } }, 'echo'],
    [{ message: { mid: 'm', is_deleted: true } }, 'deletion'],
    [{ delivery: { mids: ['m'], watermark: 1 } }, 'delivery'],
    [{ read: { watermark: 1 } }, 'read'],
    [{ optin: { ref: 'x' } }, 'optin'],
    [{ something: 1 }, 'another event'],
    [{ message: { text: 'without id' } }, 'message without id'],
    [{ sender: {}, message: { mid: 'm', text: 'x' } }, 'event without a sender'],
  ])('with %j has no message', (content, what) => {
    expect(ignoredIn(readPage(pageEvents([pageEvent(content)]), NOW))).toEqual([what]);
  });

  test('of a conversation of another app, or about the page itself, has no message', () => {
    const entry = [
      { id: '1', standby: [pageEvent({ message: { mid: 'm', text: 'x' } })], changes: [{ field: 'feed' }] },
    ];
    expect(ignoredIn(readPage({ object: 'page', entry }, NOW))).toEqual(['standby', 'change']);
  });
});

describe('a form', () => {
  const read = (more: Readonly<Record<string, string>> = {}) =>
    readForm(parseQuery(new URLSearchParams(formMessage(more)).toString()), NOW);

  test('has the sender, the recipient and the text', () => {
    const { message, contact, body } = messageIn(read());
    expect(message).toEqual({
      id: 'SM0a1b2c3d4e5f60718293a4b5c6d7e8f9',
      from: 'whatsapp:+14155238886',
      to: 'whatsapp:+15005550006',
      account: 'whatsapp:+15005550006',
      type: 'text',
      text: 'Ahoy! 👋',
      media: [],
      timestamp: '2026-11-22T01:00:00.000Z',
      reply_to: null,
      payload: null,
      location: null,
    });
    expect(contact).toEqual({ id: '14155238886', name: 'Grace' });
    expect(body).toEqual(formMessage());
  });

  test('with files names them in order', () => {
    const files = {
      NumMedia: '2',
      Body: '',
      MediaUrl0: 'https://api.test/0',
      MediaContentType0: 'image/jpeg',
      MediaUrl1: 'https://api.test/1',
      MediaContentType1: 'application/pdf',
    };
    expect(messageIn(read(files)).message).toMatchObject({
      type: 'image',
      text: null,
      media: [
        { url: 'https://api.test/0', mime_type: 'image/jpeg' },
        { url: 'https://api.test/1', mime_type: 'application/pdf' },
      ],
    });
  });

  test.each<[Record<string, string>, object]>([
    [
      { ButtonText: 'Yes', ButtonPayload: 'yes', Body: 'Yes' },
      { type: 'button', text: 'Yes', payload: 'yes' },
    ],
    [
      { Latitude: '1.5', Longitude: '-2', Label: 'Here', Body: '' },
      { type: 'location', location: { latitude: 1.5, longitude: -2, name: 'Here', address: null } },
    ],
    [{ OriginalRepliedMessageSid: 'SM1' }, { reply_to: 'SM1' }],
  ])('with %j is read', (more, expected) => expect(messageIn(read(more)).message).toMatchObject(expected));

  test.each<[Record<string, string>, string]>([
    [{ MessageStatus: 'delivered', SmsStatus: 'delivered' }, 'status'],
    [{ SmsStatus: 'sent' }, 'status'],
    [{ From: '' }, 'form without a message'],
    // A sender that contains the next field, which the signature does not detect.
    [{ From: 'whatsapp:+1415From+1999' }, 'form without a message'],
  ])('with %j has no message', (more, what) => expect(ignoredIn(read(more))).toEqual([what]));

  test.each(['-1', '1e9', 'NaN', '', '3.7'])('NumMedia %j does not add files', (NumMedia) => {
    expect(messageIn(read({ NumMedia, MediaUrl0: 'u' })).message.media.length).toBeLessThanOrEqual(1);
  });
});

test('arbitrary requests never throw, and every message has an id and a sender', () => {
  const keys = ['entry', 'changes', 'value', 'messages', 'messaging', 'message', 'sender', 'id', 'mid', 'type', 'text'];
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, -1, 1e300, '', 'messages', 'whatsapp_business_account', 'page', 'text'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys, 'object', 'field', '__proto__'), tie('tree'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.constantFrom('whatsapp_business_account', 'page', 'instagram'), (body, object) => {
      const root = typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body, object } : body;
      for (const each of [...readCloudApi(root, NOW), ...readPage(root, NOW)]) {
        if (each.kind !== 'message') continue;
        expect(each.message).toMatchObject({ id: expect.any(String), from: expect.any(String) });
        expect(Number.isNaN(Date.parse(each.message.timestamp))).toBe(false);
      }
    }),
  );
});
