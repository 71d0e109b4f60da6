import type { Json, JsonObject } from '../../../lib/json';
import { suiteMail as mail } from '../../connectors/suite-mail';
import type { Poller } from '../contract';
import { tooMany } from '../fault';
import { listAt, objectAt } from '../../connectors/values';
import { textIn } from '../json';
import { type RequestProvider, providerClient } from '../provider-client';
import { urlPath } from '../../connectors/http/path';

const MAX_DEPTH = 20;
const MAX_ATTACHMENTS = 100;

/** A mail as trigger data: addresses, subject, date, text, attachments. */
function mailOf(mail: JsonObject): JsonObject {
  const payload = objectAt(mail, 'payload');
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
    labels: listAt(mail, 'labelIds'),
    attachments: parts.filter(isAttached).slice(0, MAX_ATTACHMENTS).map(attachment),
  };
}

function partsOf(part: JsonObject, depth: number): JsonObject[] {
  if (depth > MAX_DEPTH) return [];
  const inner = listAt(part, 'parts') as JsonObject[];
  return [part, ...inner.flatMap((each) => partsOf(each, depth + 1))];
}

const isAttached = (part: JsonObject): boolean => (textIn(part, 'filename') ?? '') !== '';

function textOf(parts: readonly JsonObject[], type: string): string | null {
  const part = parts.find((each) => textIn(each, 'mimeType') === type && !isAttached(each));
  const data = part === undefined ? null : textIn(objectAt(part, 'body'), 'data');
  return data === null ? null : Buffer.from(data, 'base64url').toString('utf8');
}

function header(payload: JsonObject, name: string): string | null {
  const found = listAt(payload, 'headers').find((each) => textIn(each, 'name')?.toLowerCase() === name);
  return textIn(found, 'value');
}

function attachment(part: JsonObject): Json {
  const body = objectAt(part, 'body');
  return {
    filename: textIn(part, 'filename'),
    type: textIn(part, 'mimeType'),
    size: typeof body.size === 'number' ? body.size : null,
    attachment_id: textIn(body, 'attachmentId'),
  };
}

const MESSAGES = '/gmail/v1/users/me/messages';
const PAGE = 500;
/** Pages of one poll. */
const MAX_PAGES = 40;
/** Mails that one poll fetches, a question each. */
const MAX_FETCHED = 25;
/** Mails may be stored a little later than their time. */
const OVERLAP_MS = 120_000;

/**
 * Received mails, optionally filtered by a search. Sent mails are excluded, as a workflow that answers would start itself.
 * The time of a mail that a program inserted may be in the future.
 */
export const suiteMail: Poller = {
  type: 'suite_mail',
  async poll(context) {
    const { config, cursor, now, limit, known } = context;
    const request = await providerClient(context, mail);
    const search = typeof config.query === 'string' ? `${config.query} ` : '';
    const position = positionOf(cursor);
    if (position === null) {
      const { id, at: start } = await newestMail(request, now);
      const items = id === null ? [] : [{ id, trigger: {} }];
      return { kind: 'items', items, cursor: { start, since: start }, more: false };
    }
    const after = Math.floor(Math.max(position.start, position.since - OVERLAP_MS) / 1_000);
    const ids = await idsOf(request, `${search}-in:drafts -in:sent after:${after}`);
    // Newest first is how they are listed; the oldest is to start first.
    const fresh = ids.filter((id) => !known(id)).reverse();
    const fetched = fresh.slice(0, Math.min(limit, MAX_FETCHED));
    const mails: JsonObject[] = [];
    // One that was removed in between is no more.
    for (const id of fetched) {
      const { status, body } = await request({ path: urlPath`/gmail/v1/users/me/messages/${id}`, expected: [404] });
      if (status !== 404 && receivedAt(body) > position.start) mails.push({ ...body, id });
    }
    const items = mails.map((mail) => ({ id: String(mail.id), trigger: mailOf(mail) }));
    // Later mails are read by the next poll.
    const since = Math.max(position.since, ...mails.map((mail) => Math.min(receivedAt(mail), now)));
    return { kind: 'items', items, cursor: { start: position.start, since }, more: fetched.length < fresh.length };
  },
};

interface Position {
  /** What had come by then was there before the trigger was. */
  readonly start: number;
  /** What had come by then is known. */
  readonly since: number;
}

function positionOf(cursor: Json): Position | null {
  if (typeof cursor !== 'object' || cursor === null || Array.isArray(cursor)) return null;
  const { start, since } = cursor;
  return typeof start === 'number' && typeof since === 'number' ? { start, since } : null;
}

/** Time of the newest mail by the provider's clock, but not after now; now if there is none. */
async function newestMail(request: RequestProvider, now: number): Promise<{ id: string | null; at: number }> {
  const { body } = await request({ path: MESSAGES, query: { maxResults: 1 } });
  const id = textIn(listAt(body, 'messages')[0], 'id');
  if (id === null) return { id, at: now };
  const mail = await request({ path: urlPath`/gmail/v1/users/me/messages/${id}`, query: { format: 'minimal' } });
  return { id, at: Math.min(receivedAt(mail.body), now) };
}

/** @throws PollFault for more than can be read */
async function idsOf(request: RequestProvider, q: string): Promise<string[]> {
  const ids: string[] = [];
  let page: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const query = { q, maxResults: PAGE, ...(page === null ? {} : { pageToken: page }) };
    const { body } = await request({ path: MESSAGES, query });
    ids.push(...listAt(body, 'messages').flatMap((each) => textIn(each, 'id') ?? []));
    page = textIn(body, 'nextPageToken');
    if (page === null) return ids;
  }
  throw tooMany(MAX_PAGES * PAGE, 'mails');
}

const receivedAt = (mail: JsonObject): number => Number(textIn(mail, 'internalDate') ?? 0);
