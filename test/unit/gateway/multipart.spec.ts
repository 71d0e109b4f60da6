import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../../../lib/errors';
import { readForm } from '../../../services/api-gateway/http/multipart';

const MOST = 1_000_000;

interface Seen {
  readonly fields: Record<string, string>;
  readonly file: { filename: string; contentType: string; bytes: number };
}
type Outcome = Seen | { readonly code: string | undefined; readonly taken: boolean };

let server: Server;
let next: (outcome: Outcome) => void;
/** What the receiver of files does at the end of a file. */
let taker: () => Promise<void> = async () => {};

beforeAll(async () => {
  server = createServer((incoming, response) => {
    let file: Seen['file'] | null = null;
    let ended = false;
    void readForm(incoming, MOST, async ({ filename, contentType, content }) => {
      try {
        file = { filename, contentType, bytes: 0 };
        for await (const chunk of content as AsyncIterable<Buffer>) file.bytes += chunk.length;
        await taker();
      } finally {
        ended = true;
      }
    })
      .then(
        (fields): Outcome => ({ fields: Object.fromEntries(fields), file: file as unknown as Seen['file'] }),
        (fault: unknown): Outcome => ({ code: errorCode(fault) ?? (fault as Error).message, taken: ended }),
      )
      .then((outcome) => {
        response.end();
        next(outcome);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const port = () => (server.address() as AddressInfo).port;
const outcome = (): Promise<Outcome> => new Promise((resolve) => (next = resolve));

async function sendForm(form: FormData): Promise<Outcome> {
  const seen = outcome();
  await (await fetch(`http://127.0.0.1:${port()}`, { method: 'POST', body: form })).text();
  return seen;
}

async function sendRaw(body: string, headers: Record<string, string> = {}, cut = false): Promise<Outcome> {
  const seen = outcome();
  const sent = request({
    port: port(),
    method: 'POST',
    headers: {
      'content-type': 'multipart/form-data; boundary=x',
      ...(cut ? { 'content-length': String(body.length + 10) } : {}),
      ...headers,
    },
  });
  sent.on('error', () => {});
  if (cut) sent.write(body, () => setImmediate(() => sent.destroy()));
  else sent.end(body);
  return seen;
}

const form = (fields: Record<string, string | Blob>): FormData => {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value as never);
  return made;
};

const FILE = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';

describe('a form with a file', () => {
  it('streams the file, and returns the fields before and after it', async () => {
    const made = form({ before: '1' });
    made.append('file', new Blob([Buffer.alloc(300_000, 7)], { type: 'application/pdf' }), 'Überblick 2026.pdf');
    made.append('after', '{"a": 1}');
    expect(await sendForm(made)).toEqual({
      fields: { before: '1', after: '{"a": 1}' },
      file: { filename: 'Überblick 2026.pdf', contentType: 'application/pdf', bytes: 300_000 },
    });
  });

  it.each([
    ['a path', '../../etc/passwd', 'passwd'],
    ['a path of Windows', 'C:\\\\secret\\\\plan.docx', 'plan.docx'],
    ['invisible characters', 'a\u202etxt.exe', 'atxt.exe'],
    ['nothing', '', 'file'],
  ])('reduces a name that is %s to a file name', async (_what, given, shown) => {
    const body = `${FILE.replace('a.txt', given)}hello\r\n--x--\r\n`;
    expect(await sendRaw(body)).toMatchObject({ file: { filename: shown, bytes: 5 } });
  });

  it.each([
    ['without a file', form({ other: 'text' }), 'invalid_request'],
    ['whose file is a text', form({ file: 'text' }), 'invalid_request'],
    ['whose file is in another field', form({ upload: new Blob(['x']) }), 'invalid_request'],
    ['whose file is too large', form({ file: new Blob([Buffer.alloc(MOST + 1)]) }), 'payload_too_large'],
    ['that is announced as too large', form({ file: new Blob([Buffer.alloc(MOST * 2)]) }), 'payload_too_large'],
    ['with a field that is too large', form({ file: new Blob(['x']), a: 'x'.repeat(70_000) }), 'payload_too_large'],
    [
      'with more fields than there may be',
      form(Object.fromEntries([...Array(30).keys()].map((n) => [n, 'x']))),
      'invalid_request',
    ],
  ])('is refused %s', async (_what, made, code) => {
    expect(await sendForm(made)).toMatchObject({ code });
  });

  it('is refused with two files', async () => {
    const made = form({ file: new Blob(['x']) });
    made.append('file', new Blob(['y']));
    expect(await sendForm(made)).toEqual({ code: 'invalid_request', taken: true });
  });

  it.each([
    ['no boundary', { 'content-type': 'multipart/form-data' }],
    ['another type', { 'content-type': 'application/json' }],
    ['an encoding', { 'content-encoding': 'gzip' }],
  ])('is refused with %s', async (_what, headers) => {
    expect(await sendRaw('{}', headers)).toMatchObject({ code: 'unsupported_media_type' });
  });

  it.each([
    ['ends in the file', `${FILE}hel`, false],
    ['ends in a header', '--x\r\ncontent-disp', false],
    ['is no form', 'hello', false],
    ['is cut off with its connection', `${FILE}hel`, true],
  ])('is refused when it %s, and the receiver is notified', async (_what, body, cut) => {
    expect(await sendRaw(body, {}, cut)).toEqual({ code: 'invalid_request', taken: body.startsWith(FILE) });
  });

  it('fails with the error of its receiver', async () => {
    taker = () => Promise.reject(new Error('no room'));
    expect(await sendForm(form({ file: new Blob(['x']) }))).toEqual({ code: 'no room', taken: true });
    taker = async () => {};
    expect(await sendForm(form({ file: new Blob(['x']) }))).toMatchObject({ file: { bytes: 1 } });
  });
});
