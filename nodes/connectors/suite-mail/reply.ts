import type { Json, JsonObject } from '../../../lib/json';
import { parseMailAddresses } from '../../../lib/mail-address';
import type { Answered } from '../../messaging/email-send/mime';
import { InvalidInputError } from '../invalid-input-error';
import { textAt, textsAt } from '../values';
import { headersOf } from './read';

const ID = /<[^<>\s\p{Cc}]{1,900}>/gu;
/** References are shortened in the middle of a long talk (RFC 5537 section 3.4.4). */
const MAX_REFERENCES = 20;

/** A reply to a message: its recipients, subject, thread, and headers that tie it to the message (RFC 5322 3.6.4). */
interface Reply {
  readonly letter: JsonObject;
  readonly threadId: string | undefined;
  readonly answered: Answered | undefined;
}

/**
 * How `input` answers `message`; `own` is the address of the account, which a reply to all excludes, and null
 * where only the sender is answered. @throws InvalidInputError
 */
export function replyTo(message: Json, input: JsonObject, own: string | null): Reply {
  const headers = headersOf(message);
  const author = addressesIn(headers.get('reply-to')) ?? addressesIn(headers.get('from')) ?? [];
  if (author.length === 0) throw new InvalidInputError('the message has no sender to answer');
  const others = [...(addressesIn(headers.get('to')) ?? []), ...(addressesIn(headers.get('cc')) ?? [])];
  const seen = new Set([...author, ...(own === null ? [] : [own])].map(lower));
  const copies = own === null ? [] : others.filter((one) => !seen.has(lower(one)) && seen.add(lower(one)));
  const { message_id: _id, to_all: _all, ...letter } = input;
  const subject = (headers.get('subject') ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  const id = headers.get('message-id')?.match(ID)?.[0];
  const before = headers.get('references')?.match(ID) ?? [];
  return {
    letter: {
      ...letter,
      to: author,
      cc: [...copies, ...textsAt(input, 'cc')],
      subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`,
    },
    threadId: textAt(message, 'threadId'),
    answered: id === undefined ? undefined : { inReplyTo: id, references: [...shortened(before), id] },
  };
}

const lower = (address: string): string => address.toLowerCase();

function shortened(ids: readonly string[]): string[] {
  return ids.length < MAX_REFERENCES ? [...ids] : [...ids.slice(0, 1), ...ids.slice(2 - MAX_REFERENCES)];
}

/** The addresses of a header without names; null if there are none. Names are chosen by the sender. */
function addressesIn(header: string | undefined): string[] | null {
  if (header === undefined) return null;
  const parsed = parseMailAddresses(header)?.map(({ address }) => address);
  const found = parsed ?? [...header.matchAll(/<([^<>\s]+@[^<>\s]+)>/g)].map(([, address = '']) => address);
  const kept = found.filter((address) => parseMailAddresses(address)?.length === 1);
  return kept.length === 0 ? null : kept;
}
