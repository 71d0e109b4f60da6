import type { Json, JsonObject } from '../../../lib/json';
import { listIn, objectIn, textIn } from '../json';

const MAX_DEPTH = 20;
const MAX_ATTACHMENTS = 100;

/** A mail as runs see it: who, what, when, its text, and what is attached to it. */
export function mailOf(mail: JsonObject): JsonObject {
  const payload = objectIn(mail, 'payload');
  const parts = partsOf(payload, 0);
  const received = Number(textIn(mail, 'internalDate') ?? Number.NaN);
  return {
    id: textIn(mail, 'id'),
    thread_id: textIn(mail, 'threadId'),
    from: header(payload, 'from'),
    to: header(payload, 'to'),
    cc: header(payload, 'cc'),
    subject: header(payload, 'subject'),
    message_id: header(payload, 'message-id'),
    date: Number.isNaN(received) ? null : new Date(received).toISOString(),
    snippet: textIn(mail, 'snippet'),
    text: textOf(parts, 'text/plain'),
    html: textOf(parts, 'text/html'),
    labels: listIn(mail, 'labelIds'),
    attachments: parts.filter(isAttached).slice(0, MAX_ATTACHMENTS).map(attachment),
  };
}

function partsOf(part: JsonObject, depth: number): JsonObject[] {
  if (depth > MAX_DEPTH) return [];
  const inner = listIn(part, 'parts') as JsonObject[];
  return [part, ...inner.flatMap((each) => partsOf(each, depth + 1))];
}

const isAttached = (part: JsonObject): boolean => (textIn(part, 'filename') ?? '') !== '';

function textOf(parts: readonly JsonObject[], type: string): string | null {
  const part = parts.find((each) => textIn(each, 'mimeType') === type && !isAttached(each));
  const data = part === undefined ? null : textIn(objectIn(part, 'body'), 'data');
  return data === null ? null : Buffer.from(data, 'base64url').toString('utf8');
}

function header(payload: JsonObject, name: string): string | null {
  const found = listIn(payload, 'headers').find((each) => textIn(each, 'name')?.toLowerCase() === name);
  return textIn(found, 'value');
}

function attachment(part: JsonObject): Json {
  const body = objectIn(part, 'body');
  return {
    filename: textIn(part, 'filename'),
    type: textIn(part, 'mimeType'),
    size: typeof body.size === 'number' ? body.size : null,
    attachment_id: textIn(body, 'attachmentId'),
  };
}
