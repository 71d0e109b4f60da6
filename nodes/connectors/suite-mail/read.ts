import type { Json, JsonObject } from '../../../lib/json';
import { listAt, numberAt, objectAt, withoutUndefined, textAt, textsAt } from '../values';

/** Parts inside parts: as deep as anybody's mail, and no deeper. */
const MAX_DEPTH = 20;

/** The headers of a message by lower-case name; of repeated ones the first. */
export function headersOf(message: Json): Map<string, string> {
  const headers = new Map<string, string>();
  for (const header of listAt(message, 'payload', 'headers')) {
    const name = textAt(header, 'name')?.toLowerCase();
    if (name !== undefined && !headers.has(name)) headers.set(name, textAt(header, 'value') ?? '');
  }
  return headers;
}

/** A received message as output. */
export function messageOf(message: Json): JsonObject {
  const headers = headersOf(message);
  const received = Number(textAt(message, 'internalDate') ?? Number.NaN);
  const found: MessageParts = { text: [], html: [], attachments: [] };
  collect(objectAt(message, 'payload'), found, 0);
  return withoutUndefined({
    ...idsOf(message),
    from: headers.get('from'),
    to: headers.get('to'),
    cc: headers.get('cc'),
    subject: headers.get('subject') ?? '',
    date: Number.isFinite(received) && Math.abs(received) < 8.64e15 ? new Date(received).toISOString() : undefined,
    snippet: textAt(message, 'snippet') ?? '',
    text: found.text.length === 0 ? undefined : found.text.join('\n'),
    html: found.html.length === 0 ? undefined : found.html.join('\n'),
    headers: Object.fromEntries(headers),
    attachments: found.attachments,
  });
}

/** What sending, changing and looking at a message have in common. */
export const idsOf = (message: Json): JsonObject =>
  withoutUndefined({
    id: textAt(message, 'id') ?? '',
    thread_id: textAt(message, 'threadId'),
    label_ids: textsAt(message, 'labelIds'),
  });

interface MessageParts {
  readonly text: string[];
  readonly html: string[];
  readonly attachments: JsonObject[];
}

function collect(part: JsonObject, found: MessageParts, depth: number): void {
  const type = textAt(part, 'mimeType') ?? '';
  const filename = textAt(part, 'filename');
  const data = textAt(part, 'body', 'data');
  const attachment = textAt(part, 'body', 'attachmentId');
  if (filename !== undefined || (attachment !== undefined && !type.startsWith('multipart/'))) {
    found.attachments.push(
      withoutUndefined({
        attachment_id: attachment,
        filename: filename ?? '',
        content_type: type,
        size: numberAt(part, 'body', 'size') ?? 0,
      }),
    );
  } else if (data !== undefined && (type === 'text/plain' || type === 'text/html')) {
    found[type === 'text/plain' ? 'text' : 'html'].push(Buffer.from(data, 'base64url').toString('utf8'));
  }
  if (depth < MAX_DEPTH) for (const inner of listAt(part, 'parts')) collect(objectAt(inner), found, depth + 1);
}
