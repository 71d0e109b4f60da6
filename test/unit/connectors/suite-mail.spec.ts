import type { JsonObject } from '../../../lib/json';
import { InvalidInputError } from '../../../nodes/connectors/invalid-input-error';
import { replyTo } from '../../../nodes/connectors/suite-mail/reply';
import { messageOf } from '../../../nodes/connectors/suite-mail/read';

const message = (headers: Record<string, string>, rest: JsonObject = {}): JsonObject => ({
  id: 'm1',
  threadId: 't1',
  payload: { headers: Object.entries(headers).map(([name, value]) => ({ name, value })) },
  ...rest,
});

describe('an answer', () => {
  const answer = (headers: Record<string, string>, own: string | null = null, input: JsonObject = {}) =>
    replyTo(message({ From: 'ada@example.com', ...headers }), input, own);

  test('goes to the Reply-To address', () => {
    expect(answer({ 'Reply-To': 'List <list@example.com>' }).letter.to).toEqual(['list@example.com']);
  });

  test.each([
    ['"Lovelace, Ada" <ada@example.com>', ['ada@example.com']],
    ['=?UTF-8?Q?Ada?= (home) <ada@example.com>', ['ada@example.com']],
    ['a@example.com, "b" <b@example.com>', ['a@example.com', 'b@example.com']],
    ['evil@example.com\r\nBcc: eve@example.com <ada@example.com>', ['ada@example.com']],
  ])('to %j finds the addresses', (From, to) => {
    expect(answer({ From }).letter.to).toEqual(to);
  });

  test('without a recipient is refused', () => {
    expect(() => answer({ From: 'Mailer-Daemon' })).toThrow(InvalidInputError);
  });

  test('keeps the subject without added headers', () => {
    expect(answer({ Subject: 'RE: Order' }).letter.subject).toBe('RE: Order');
    expect(answer({ Subject: 'Order\r\nBcc: eve@example.com' }).letter.subject).toBe('Re: Order Bcc: eve@example.com');
    expect(answer({}).letter.subject).toBe('Re: ');
  });

  test('refers to the message only by ids in its headers', () => {
    const references = Array.from({ length: 60 }, (_, n) => `<${n}@example.com>`);
    const { answered } = answer({
      'Message-ID': 'junk <last@example.com>\r\nX-Evil: 1',
      References: references.join('\r\n '),
    });
    expect(answered?.inReplyTo).toBe('<last@example.com>');
    expect(answered?.references).toHaveLength(20);
    expect(answered?.references.slice(0, 2)).toEqual(['<0@example.com>', '<42@example.com>']);
    expect(answered?.references.at(-1)).toBe('<last@example.com>');
    expect(answer({ 'Message-ID': 'none' }).answered).toBeUndefined();
  });

  test('to all goes to each address once, ignoring case', () => {
    const headers = { To: 'Own@example.com, b@example.com', Cc: 'B@example.com, ADA@example.com, c@example.com' };
    expect(answer(headers, 'own@example.com', { cc: ['d@example.com'] }).letter.cc).toEqual([
      'b@example.com',
      'c@example.com',
      'd@example.com',
    ]);
    expect(answer(headers).letter.cc).toEqual([]);
  });
});

describe('a message', () => {
  test('of an unknown shape is read as far as possible', () => {
    for (const value of [null, [], 'x', { payload: 5 }, { payload: { headers: [null, { name: 5 }], parts: [null] } }])
      expect(messageOf(value as never)).toMatchObject({ id: '', subject: '', attachments: [] });
  });

  test('with endlessly nested parts is read to a depth', () => {
    let part: JsonObject = { mimeType: 'text/plain', body: { data: Buffer.from('deep').toString('base64url') } };
    for (let depth = 0; depth < 1_000; depth += 1) part = { mimeType: 'multipart/mixed', parts: [part] };
    expect(messageOf({ id: 'm1', payload: part })).not.toHaveProperty('text');
  });

  test('with an invalid time has no date', () => {
    expect(messageOf(message({}, { internalDate: '99999999999999999999' }))).not.toHaveProperty('date');
  });
});
