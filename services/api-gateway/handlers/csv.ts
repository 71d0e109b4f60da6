import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { stringifyCsv } from '../../../nodes/data/csv/stringify';
import type { Gateway } from '../gateway';
import { parseQuery, single } from '../http/query';
import { type GatewayRequest, prefers } from '../http/request';
import type { CsvFile, JsonRoute } from '../routes/route';

const ROWS_AT_A_TIME = 1_000;
/** RFC 4180, for spreadsheets: what they would run as a formula is made text. */
const LAYOUT = { delimiter: ',', quote: '"', lineEnd: '\r\n', escapeFormulas: true } as const;
const MEDIA_TYPE = 'text/csv';

/** A page of a list by cursor. */
interface Page {
  readonly data: readonly JsonObject[];
  readonly next_cursor: string | null;
}

/** Whether the list is wanted as a file: by `format=csv`, or else by the Accept header. @throws AppError invalid_request */
export function wantsCsv(request: GatewayRequest): boolean {
  const format = single(parseQuery(request.search), 'format');
  if (format === undefined) return prefers(request.headers.accept, MEDIA_TYPE);
  if (format === 'csv' || format === 'json') return format === 'csv';
  const message = "The 'format' is csv or json";
  throw new AppError('invalid_request', message, { details: [{ path: 'format', message }] });
}

/** Sends all that a list has, page by page as the client takes it. A file that could not be ended has no end. */
export async function serveCsv(
  gateway: Gateway,
  route: JsonRoute,
  file: CsvFile,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const { cursor: _cursor, offset: _offset, ...filter } = parseQuery(request.search);
  const next = async (cursor: string | null): Promise<Page> => {
    // Anew for each page: principals are short-lived, and who has lost his role gets no more.
    const principal = await gateway.identify(route, request);
    const params = { ...filter, limit: ROWS_AT_A_TIME, ...(cursor === null ? {} : { cursor }) };
    return (await gateway.call(route.action, params, principal, request)) as never;
  };
  // Before the first byte, so that a refusal has its status.
  const first = await next(null);
  const day = new Date(gateway.app.clock.now()).toISOString().slice(0, 10);
  response.writeHead(200, {
    'Content-Type': `${MEDIA_TYPE}; charset=utf-8; header=present`,
    'Content-Disposition': `attachment; filename="${file.name}-${day}.csv"`,
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await pipeline(Readable.from(lines(file, first, next)), response).catch((fault: unknown) => {
    gateway.log.info(`A file of ${route.path} was not sent to its end`, fault);
  });
}

async function* lines(file: CsvFile, first: Page, next: (cursor: string) => Promise<Page>): AsyncGenerator<string> {
  const written = (page: Page, header: boolean): string =>
    stringifyCsv(
      page.data.map((row) => file.row(row as never) as Json),
      { ...LAYOUT, columns: file.columns, header },
    );
  yield written(first, true);
  for (let page = first; page.next_cursor !== null; ) {
    page = await next(page.next_cursor);
    if (page.data.length > 0) yield written(page, false);
  }
}
