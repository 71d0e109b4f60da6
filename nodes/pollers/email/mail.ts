import PostalMime, { type Address, type Email } from 'postal-mime';
import type { Json, JsonObject } from '../../../lib/json';

const MAX_ATTACHMENTS = 100;
const MAX_DEPTH = 50;
const MAX_TEXT_CHARS = 512 * 1024;
const MAX_FAULT_CHARS = 200;

/** A mail as trigger data: addresses, subject, date, text, attachments. A malformed mail is marked. */
export async function mailOf(raw: Uint8Array): Promise<JsonObject> {
  try {
    return { ...read(await PostalMime.parse(raw, { maxNestingDepth: MAX_DEPTH })), unreadable: null };
  } catch (thrown) {
    // It must not hold up those behind it.
    const why = thrown instanceof Error ? thrown.message : 'it is malformed';
    return { ...read({ headers: [], headerLines: [], attachments: [] }), unreadable: why.slice(0, MAX_FAULT_CHARS) };
  }
}

const read = (mail: Email): JsonObject => ({
  from: addressesOf(mail.from === undefined ? [] : [mail.from])[0] ?? null,
  to: addressesOf(mail.to),
  cc: addressesOf(mail.cc),
  reply_to: addressesOf(mail.replyTo),
  subject: mail.subject ?? '',
  message_id: mail.messageId ?? null,
  in_reply_to: mail.inReplyTo ?? null,
  date: timeOf(mail.date),
  text: mail.text?.slice(0, MAX_TEXT_CHARS) ?? null,
  html: mail.html?.slice(0, MAX_TEXT_CHARS) ?? null,
  attachments: mail.attachments.slice(0, MAX_ATTACHMENTS).map(({ filename, mimeType, content }) => ({
    filename: filename ?? null,
    type: mimeType,
    size: typeof content === 'string' ? content.length : content.byteLength,
  })),
});

/** Those of a group, each. */
const addressesOf = (addresses: readonly Address[] = []): Json[] =>
  addresses.flatMap(({ name, address, group }) =>
    group === undefined
      ? [{ name: name ?? '', address: address ?? '' }]
      : group.map((each) => ({ name: each.name ?? '', address: each.address ?? '' })),
  );

function timeOf(date: string | undefined): string | null {
  const at = Date.parse(date ?? '');
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
