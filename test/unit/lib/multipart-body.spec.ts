import { safeFileName } from '../../../lib/file-name';
import { filePath } from '../../../lib/file-path';
import { webhookContent } from '../../../lib/http-body/webhook-body';
import { stallMs } from '../../support/stall';

const KIB = 1024;
const TYPE = 'multipart/form-data; boundary=x';

async function parse(form: FormData) {
  const made = new Response(form);
  return webhookContent(made.headers.get('content-type') as string, Buffer.from(await made.arrayBuffer()));
}
const raw = (text: string, type = TYPE) => webhookContent(type, Buffer.from(text));
const part = (disposition: string, content: string) =>
  `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
const filesOf = (...sizes: number[]): FormData => {
  const form = new FormData();
  for (const size of sizes) form.append('files', new Blob([Buffer.alloc(size)]), 'a.bin');
  return form;
};

describe('a form with files', () => {
  test('has its fields by name, repeated ones as lists, and its files in their order', async () => {
    const form = new FormData();
    form.append('subject', 'Grüße');
    for (const tag of ['a', 'b']) form.append('tag', tag);
    form.append('invoice', new Blob(['%PDF'], { type: 'application/pdf' }), 'Überblick.pdf');
    form.append('photo', new Blob([new Uint8Array([0, 255])]), 'p.bin');
    expect(await parse(form)).toEqual({
      body: { subject: 'Grüße', tag: ['a', 'b'] },
      files: [
        {
          field: 'invoice',
          filename: 'Überblick.pdf',
          content_type: 'application/pdf',
          size: 4,
          content_base64: 'JVBERg==',
        },
        {
          field: 'photo',
          filename: 'p.bin',
          content_type: 'application/octet-stream',
          size: 2,
          content_base64: 'AP8=',
        },
      ],
    });
  });

  test('treats names of Object.prototype as ordinary names', async () => {
    const { body } = await raw(
      `${part('name="__proto__"', 'x')}${part('name="constructor"', 'y')}${part('name="__proto__"', 'z')}--x--\r\n`,
    );
    expect(Object.entries(body as object)).toEqual([
      ['__proto__', ['x', 'z']],
      ['constructor', 'y'],
    ]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  test('omits a file field without a file, and keeps an empty file', async () => {
    const body = `${part('name="none"; filename=""', '')}${part('name="empty"; filename="a.txt"', '')}--x--\r\n`;
    expect((await raw(body)).files).toMatchObject([{ field: 'empty', filename: 'a.txt', size: 0 }]);
  });

  test('without fields and files, or of another type, has no list of files', async () => {
    expect(await raw('--x--\r\n')).toEqual({ body: {}, files: [] });
    expect(await raw('', TYPE)).toEqual({ body: null });
    expect(await raw('{"a":1}', 'application/json')).toEqual({ body: { a: 1 } });
  });

  test('accepts files up to the limits, each and in total', async () => {
    const { files } = await parse(filesOf(256 * KIB, 256 * KIB, 256 * KIB, 256 * KIB));
    expect(files?.map(({ size }) => size)).toEqual(Array.from({ length: 4 }, () => 256 * KIB));
    expect((await parse(filesOf(...Array.from({ length: 20 }, () => 1)))).files).toHaveLength(20);
  });

  test.each([
    ['a file that is too large', () => parse(filesOf(256 * KIB + 1)), 'larger than 262144 bytes; store large files'],
    ['files too large together', () => parse(filesOf(...Array.from({ length: 5 }, () => 210 * KIB))), '1048576 bytes'],
    ['too many files', () => parse(filesOf(...Array.from({ length: 21 }, () => 1))), 'more than 20 files'],
    ['a field that is too large', () => raw(`${part('name="a"', 'y'.repeat(KIB * KIB + 1))}--x--`), 'The field "a"'],
  ])('is refused as too large with %s', async (_what, parsed, message) => {
    await expect(parsed()).rejects.toMatchObject({
      type: 'payload_too_large',
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['without a boundary', 'hello', 'multipart/form-data', 'no boundary'],
    ['that is no form', 'hello', TYPE, 'malformed or incomplete'],
    ['that is cut off in a field', `${part('name="a"', 'b').slice(0, -2)}`, TYPE, 'malformed or incomplete'],
    ['that is cut off in a file', `${part('name="a"; filename="b"', 'c')}`, TYPE, 'malformed or incomplete'],
    ['with a part without a name', `${part('x="a"', 'b')}--x--\r\n`, TYPE, 'needs a name'],
    ['with a file without a name', `${part('filename="a"', 'b')}--x--\r\n`, TYPE, 'needs a name'],
    ['with a long name', `${part(`name="${'n'.repeat(201)}"`, 'b')}--x--\r\n`, TYPE, '200 characters'],
    ['with many fields', `${part('name="a"', 'b').repeat(1_001)}--x--\r\n`, TYPE, 'more than 1000 fields'],
  ])('is refused %s', async (_what, body, type, message) => {
    await expect(raw(body, type)).rejects.toMatchObject({
      type: 'invalid_request',
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ['beginnings of boundaries', `${part('name="a"; filename="b"', '\r\n--'.repeat(60 * KIB))}--x--\r\n`],
    ['megabytes before its first part', `${'\r\n-'.repeat(5 * KIB * KIB)}\r\n--x--\r\n`],
    ['a field of a megabyte', `${part('name="a"', 'ü'.repeat(500 * KIB))}--x--\r\n`],
    ['a thousand fields', `${part('name="a"', 'b'.repeat(KIB)).repeat(1_000)}--x--\r\n`],
  ])('of %s does not block the thread', async (_what, text) => {
    const bytes = Buffer.from(text);
    const parsed = async (): Promise<void> => {
      await webhookContent(TYPE, bytes).catch(() => undefined);
    };
    await parsed();
    expect(await stallMs(parsed)).toBeLessThan(50);
  });
});

test.each([
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['a\\b', 'a_b'],
  ['..', 'file'],
  ['', 'file'],
  ['a\u202etxt.exe', 'atxt.exe'],
  ['ü'.repeat(300), 'ü'.repeat(127)],
])('the name %j is stored as %j, which is the path of a file', (given, stored) => {
  expect(safeFileName(given)).toBe(stored);
  expect(filePath(stored)).toMatchObject({ kind: 'path', path: stored });
});
