import { suiteMail } from '../../../nodes/connectors/suite-mail';
import { play } from '../../support/connectors/bench';

/** More than fits into a member of a JSON body. */
const LARGE = Buffer.alloc(3 * 1024 * 1024, 'everstep').toString('base64');

test('a large message is uploaded, with its conversation beside it', async () => {
  const { outcome, seen } = await play(suiteMail, {
    title: 'large',
    action: 'create_draft',
    credentials: { access_token: 'ya29.0123456789' },
    input: {
      to: ['ada@example.com'],
      subject: 'Large',
      text: 'Hello',
      thread_id: 't1',
      attachments: [{ filename: 'large.bin', content_base64: LARGE }],
    },
    expects: [],
    answers: [{ json: { id: 'd1', message: { id: 'm1' } } }],
    outcome: { kind: 'done', output: {} },
  });
  expect(outcome).toEqual({ kind: 'done', output: { id: 'd1', message_id: 'm1' } });
  expect(seen).toHaveLength(1);
  const [{ url, headers, text } = { url: '', headers: {} as Record<string, string>, text: '' }] = seen;
  expect(url).toBe('/upload/gmail/v1/users/me/drafts?uploadType=multipart');
  const boundary = /^multipart\/related; boundary=([0-9a-f]{64})$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = text.split(`--${boundary}`);
  expect(parts).toHaveLength(4);
  expect(parts[1]).toContain('{"message":{"threadId":"t1"}}');
  expect(parts[2]).toMatch(/^\r\ncontent-type: message\/rfc822\r\n\r\nTo: ada@example\.com\r\n/);
  expect(parts[2]?.replaceAll('\r\n', '')).toContain(LARGE);
  expect(parts[3]).toBe('--\r\n');
});

test('attachments of more than 10 MiB are refused before anything is asked', async () => {
  const { outcome, seen } = await play(suiteMail, {
    title: 'too large',
    action: 'send',
    credentials: { access_token: 'ya29.0123456789' },
    input: {
      to: ['ada@example.com'],
      subject: 'Large',
      text: 'Hello',
      attachments: Array.from({ length: 4 }, (_, n) => ({ filename: `${n}.bin`, content_base64: LARGE })),
    },
    expects: [],
    answers: [],
    outcome: { kind: 'done', output: {} },
  });
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'invalid_config' }, retryable: false });
  expect(seen).toEqual([]);
});
