import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { batchesOf } from '../../../lib/batches';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { TimeSlice } from '../../../lib/time-slices';
import { stringifyCsv } from '../../../nodes/data/csv/stringify';
import type { Gateway } from '../gateway';
import { parseQuery, single } from '../http/query';
import { type GatewayRequest, prefers } from '../http/request';
import type { JsonRoute, ListFile } from '../routes/route';

/** RFC 4180, for spreadsheets: what they would run as a formula is made text. */
const LAYOUT = { delimiter: ',', quote: '"', lineEnd: '\r\n', escapeFormulas: true } as const;
const FORMATS = {
  csv: { rowsAtATime: 1_000, mediaType: 'text/csv', contentType: 'text/csv; charset=utf-8; header=present' },
  jsonl: { rowsAtATime: 200, mediaType: 'application/x-ndjson', contentType: 'application/x-ndjson' },
} as const;
/** Rows may be large. */
const WRITTEN_AT_ONCE = 20;

export const mediaTypeOf = ({ kind }: ListFile): string => FORMATS[kind].mediaType;

/** A page of a list by cursor. */
interface Page {
  readonly data: readonly JsonObject[];
  readonly next_cursor: string | null;
}

/** Whether the list is wanted as a file: by `format`, or else by the Accept header. @throws AppError invalid_request */
export function wantsFile({ kind }: ListFile, request: GatewayRequest): boolean {
  const format = single(parseQuery(request.search), 'format');
  if (format === undefined) return prefers(request.headers.accept, FORMATS[kind].mediaType);
  if (format === kind || format === 'json') return format === kind;
  const message = `The 'format' is ${kind} or json`;
  throw new AppError('invalid_request', message, { details: [{ path: 'format', message }] });
}

/** Sends all that a list has, page by page as the client takes it. A file that could not be ended has no end. */
export async function serveFile(
  gateway: Gateway,
  route: JsonRoute,
  file: ListFile,
  path: Readonly<Record<string, string>>,
  request: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  const { cursor: _cursor, offset: _offset, format: _format, ...filter } = parseQuery(request.search);
  const { rowsAtATime: limit, contentType } = FORMATS[file.kind];
  const next = async (cursor: string | null): Promise<Page> => {
    // Anew for each page: principals are short-lived, and who has lost his role gets no more.
    const principal = await gateway.identify(route, request);
    const params = { ...filter, ...path, limit, ...(cursor === null ? {} : { cursor }) };
    return (await gateway.call(route.action, params, principal, request)) as never;
  };
  // Before the first byte, so that a refusal has its status.
  const first = await next(null);
  const day = new Date(gateway.app.clock.now()).toISOString().slice(0, 10);
  response.writeHead(200, {
    'Content-Type': contentType,
    'Content-Disposition': `attachment; filename="${file.name}-${day}.${file.kind}"`,
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await pipeline(Readable.from(parts(file, first, next)), response).catch((fault: unknown) => {
    gateway.log.info(`A file of ${route.path} was not sent to its end`, fault);
  });
}

async function* parts(file: ListFile, first: Page, next: (cursor: string) => Promise<Page>): AsyncGenerator<string> {
  const slice = new TimeSlice();
  // A page may be empty where others follow.
  let header = first.data.length > 0;
  if (!header) yield textOf(file, [], true);
  for (let page = first; ; page = await next(page.next_cursor)) {
    for (const rows of batchesOf(page.data, WRITTEN_AT_ONCE)) {
      if (slice.due) await slice.pause();
      yield textOf(file, rows, header);
      header = false;
    }
    if (page.next_cursor === null) return;
  }
}

function textOf(file: ListFile, data: readonly JsonObject[], header: boolean): string {
  if (file.kind === 'jsonl') return data.map((row) => `${JSON.stringify(row)}\n`).join('');
  const rows = data.map((row) => file.row(row as never) as Json);
  return stringifyCsv(rows, { ...LAYOUT, columns: file.columns, header });
}
