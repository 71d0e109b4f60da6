import type { NodeCase } from '../node-case';

const MAIL = { from: 'orders@shop.example', to: 'ada@example.com', subject: 'Shipped', text: 'Your order.' };
const CONNECTION = { host: 'smtp.shop.example', user: 'orders', password: 'sesame' };

const refused = (title: string, input: NodeCase['input'], message: string): NodeCase => ({
  title,
  input: { ...MAIL, connection: CONNECTION, ...input },
  outcome: { kind: 'fail', error: { code: 'invalid_config', message }, retryable: false },
});

/** What needs no server; the rest is in the tests with a real one. */
export const cases: NodeCase[] = [
  {
    title: 'an installation without a mail server says so',
    input: { to: 'ada@example.com', subject: 'Shipped', html: '<p>Your order.</p>' },
    outcome: {
      kind: 'fail',
      error: { code: 'no_mail_server', message: 'no mail server (SMTP_URL)' },
      retryable: false,
    },
  },
  refused('no recipient', { to: [] }, '"to" has no recipient'),
  refused('a recipient that is no address', { to: 'ada' }, '"to" must hold addresses'),
  refused('a line break in an address', { to: 'ada@example.com\r\nBcc: eve@example.com' }, '"to" must hold addresses'),
  refused('a line break in a name', { cc: ['Ada\n <ada@example.com>'] }, '"cc" must hold addresses'),
  refused('a line break in the subject', { subject: 'Hi\r\nBcc: eve@example.com' }, '"subject" has a line break'),
  refused('a line break in a header', { headers: { 'X-A': 'b\r\nBcc: eve@example.com' } }, '"headers.X-A" has a line'),
  refused('a line break in the name of a header', { headers: { 'X-A: b\r\nBcc': 'eve' } }, 'a name in "headers"'),
  refused(
    'a line break in a file name',
    { attachments: [{ filename: 'a\r\nb', content: '' }] },
    '"filename" has a line',
  ),
  ...['From', 'bcc', 'MIME-Version', 'Content-Type', 'Message-Id'].map((name) =>
    refused(`a second ${name}`, { headers: { [name]: 'x' } }, `the header ${name} is set by the step itself`),
  ),
  refused('two senders', { from: 'a@example.com, b@example.com' }, '"from" must be one address'),
  {
    ...refused('no sender', {}, '"from" must say whom'),
    input: { to: 'ada@example.com', subject: 'Shipped', text: 'Hi', connection: CONNECTION },
  },
  refused('101 recipients', { cc: Array.from({ length: 100 }, (_, n) => `a${n}@example.com`) }, '101 addresses'),
  refused(
    'an attachment that is no base64',
    { attachments: [{ filename: 'a.bin', content_base64: 'a!' }] },
    'the attachment "a.bin" is not valid base64',
  ),
  refused('a user without a password', { connection: { host: 'smtp.shop.example', user: 'orders' } }, 'go together'),
  refused('a time-out of nothing', { timeout: 0 }, '"timeout"'),
];
