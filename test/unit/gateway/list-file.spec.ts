import { PassThrough } from 'node:stream';
import { serveFile } from '../../../services/api-gateway/handlers/list-file';

/** The text of a CSV file of these pages. */
async function fileOf(...pages: { n: number }[][]): Promise<string> {
  const left = pages.map((data, index) => ({ data, next_cursor: index + 1 < pages.length ? `${index}` : null }));
  const gateway = {
    app: { clock: { now: () => 0 } },
    identify: async () => null,
    call: async () => left.shift(),
    log: { info: (...faults: unknown[]) => expect(faults).toEqual([]) },
  };
  const response = Object.assign(new PassThrough(), { writeHead: () => {} });
  const file = { kind: 'csv', name: 'rows', columns: ['n'], row: (row: object) => row };
  const request = { search: '', headers: {}, method: 'GET' };
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  await serveFile(gateway as never, { path: '/rows' } as never, file as never, {}, request as never, response as never);
  return Buffer.concat(chunks).toString();
}

test.each([
  ['one empty page', [[]], 'n\r\n'],
  ['an empty page before others', [[], [{ n: 1 }], [], [{ n: 2 }]], 'n\r\n1\r\n2\r\n'],
  ['long pages', [Array.from({ length: 45 }, () => ({ n: 1 })), [{ n: 2 }]], `n\r\n${'1\r\n'.repeat(45)}2\r\n`],
])('a file has its header once: %s', async (_title, pages, text) => {
  expect((await fileOf(...(pages as { n: number }[][]))).replaceAll(/\r?\n/g, '\r\n')).toBe(text);
});
