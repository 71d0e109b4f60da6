import type { ParseRequest, Parsers } from '../../../lib/documents/contract';
import { createParsers, PARSE_LIMITS } from '../../../lib/documents';
import { pageOf, type PdfLine, pdf } from '../../support/documents/pdf';
import { until } from '../../support/until';

const request = (content: Buffer | string, more: Partial<ParseRequest> = {}): ParseRequest => ({
  content: new Uint8Array(Buffer.from(content as string)),
  filename: 'a',
  contentType: null,
  url: null,
  chunking: { maxTokens: 300, overlapTokens: 30 },
  ...more,
});
/** What takes a thread far longer than a moment. */
const slow = (): ParseRequest => request(`<html>${'<p>some text'.repeat(400_000)}`);
const running = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;

describe('readers of files', () => {
  let parsers: Parsers;
  beforeAll(async () => {
    parsers = createParsers({ ...PARSE_LIMITS, timeoutMs: 20_000 });
    await parsers.parse(request(pdf([pageOf('warm')])));
  });
  afterAll(() => parsers.close());

  it('of a PDF, make paragraphs of lines, headings of large letters, and leave out what repeats on its pages', async () => {
    const page = (n: number, ...lines: PdfLine[]): PdfLine[] => [
      { text: 'A running head', y: 760, size: 8 },
      ...lines,
      { text: `Page ${n}`, y: 30, size: 8 },
    ];
    const file = pdf([
      page(
        1,
        { text: 'Large', size: 20, y: 730 },
        ...pageOf('First lines of para-', 'graph one, (it) goes', 'on.').slice(0),
        {
          text: 'Paragraph two.',
          y: 640,
        },
      ),
      page(2, { text: 'Smaller', size: 15, y: 730 }, { text: 'Side', y: 700 }, { text: 'by side', x: 110, y: 700 }),
      page(3, { text: 'The end.', y: 700 }),
      [],
    ]);
    const stages: string[] = [];
    const result = await parsers.parse(request(file), undefined, (stage) => stages.push(stage));
    expect(result).toMatchObject({
      kind: 'parsed',
      title: 'A printed title',
      contentType: 'application/pdf',
      pages: 4,
      warnings: ['Pages without text, perhaps scanned: 4'],
      chunks: [
        { page: 1, heading: ['Large'], text: 'Large\n\nFirst lines of paragraph one, (it) goes on.\n\nParagraph two.' },
        { page: 2, heading: ['Large', 'Smaller'], text: 'Smaller\n\nSide by side\n\nThe end.' },
      ],
    });
    expect(stages).toEqual(['chunking']);
  });

  it('of a PDF without text, say that it may be scanned', async () => {
    expect(await parsers.parse(request(pdf([[], []])))).toMatchObject({
      kind: 'failed',
      code: 'no_text',
      message: expect.stringContaining('OCR'),
    });
  });

  it('give many chunks in their order, and take content that shares its memory with others', async () => {
    const shared = Buffer.concat([
      Buffer.from('before'),
      Buffer.from('Some words. '.repeat(60_000)),
      Buffer.from('after'),
    ]);
    const content = shared.subarray(6, -5);
    const result = await parsers.parse(request('', { content }));
    if (result.kind === 'failed') throw new Error(result.message);
    expect(result.chunks.length).toBeGreaterThan(600);
    expect(result.chunks.map(({ n }) => n)).toEqual(result.chunks.map((_, n) => n));
    expect(shared.toString('latin1', 0, 10)).toBe('beforeSome');
  });

  it('cut a text on the spot', () => {
    const chunks = parsers.chunkText('# One\r\n\r\nText.\n\n# Two\n\nMore.', { maxTokens: 50, overlapTokens: 5 });
    expect(chunks.map(({ heading, text }) => [heading, text])).toEqual([
      [['One'], '# One\n\nText.'],
      [['Two'], '# Two\n\nMore.'],
    ]);
  });

  it('stop at once for an aborted request, and go on with the next', async () => {
    const leaving = new AbortController();
    const aborted = expect(parsers.parse(slow(), leaving.signal)).rejects.toThrow('gone');
    const others = [1, 2, 3].map((n) => parsers.parse(request(`Text ${n}`)));
    leaving.abort(new Error('gone'));
    await aborted;
    expect((await Promise.all(others)).map(({ kind }) => kind)).toEqual(['parsed', 'parsed', 'parsed']);
    await expect(parsers.parse(request('x'), AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });
});

it('a file that takes too long, or too much memory, ends its thread, and the next file has another', async () => {
  const parsers = createParsers({ ...PARSE_LIMITS, timeoutMs: 400, heapMiB: 48, threads: 1 });
  const large = request(`[${'{"a":[1]},'.repeat(700_000)}1]`);
  const results = await Promise.all([parsers.parse(slow()), parsers.parse(large), parsers.parse(request('next'))]);
  expect(results).toMatchObject([
    { kind: 'failed', code: expect.stringMatching(/timed_out|too_complex/) },
    { kind: 'failed', code: expect.stringMatching(/timed_out|too_complex/) },
    { kind: 'parsed' },
  ]);
  await parsers.close();
  await until('no thread is left', () => running() === 0);
});

it('closing them rejects all waiting requests, and leaves no thread', async () => {
  const parsers = createParsers();
  const waiting = [slow(), slow(), slow()].map((one) => expect(parsers.parse(one)).rejects.toThrow('shutting down'));
  expect(running()).toBeGreaterThan(0);
  await parsers.close();
  await Promise.all(waiting);
  await expect(parsers.parse(request('x'))).rejects.toThrow('shutting down');
  await until('no thread is left', () => running() === 0);
});

it('a thread that cannot start is the fault that is returned', async () => {
  const parsers = createParsers(PARSE_LIMITS, '/nowhere/worker.js');
  await expect(parsers.parse(request('x'))).rejects.toThrow('cannot start');
  await parsers.close();
});
