import type { ImapFlow } from 'imapflow';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { Poller, PollItem } from '../contract';
import { unreadable } from '../fault';
import { mailOf } from './mail';
import { inMailbox, type Mailbox, refusedCommand } from './session';

const [PORT, PORT_OF_TLS] = [143, 993];
/** Mails that one poll fetches, and bytes of each and all. */
const MAX_MAILS = 25;
const MAX_BYTES = 1024 * 1024;
const MAX_ALL_BYTES = 5 * 1024 * 1024;

/** The mails that are known: all up to a number, as long as the numbers of the mailbox mean the same. */
interface Place {
  readonly validity: number;
  readonly uid: number;
}

/** Mails that come into a mailbox. It is only read: nothing is marked, moved or removed. */
export const email: Poller = {
  type: 'email',
  poll: ({ config, cursor, net, signal, limit }) =>
    inMailbox(net, mailboxOf(config), signal, async (client) => {
      const { uidValidity, uidNext } = await client.mailboxOpen(String(config.mailbox ?? 'INBOX'), { readOnly: true });
      // The types of the client have it always there; servers need not tell it.
      const validity = Number(uidValidity ?? 0);
      if (validity === 0) throw unreadable('the mail server does not number its mails (UIDVALIDITY)');
      const known = placeOf(cursor);
      // Other numbers: what is there now is known, since nothing says what of it is new.
      if (known === null || known.validity !== validity) {
        const last = uidNext ? uidNext - 1 : ((await search(client, '*')).at(-1) ?? 0);
        return { kind: 'items', items: [], cursor: { validity, uid: last }, more: false };
      }
      // `*` is the last mail, however small its number is.
      const found = (await search(client, `${known.uid + 1}:*`)).filter((uid) => uid > known.uid);
      const numbers = found.sort((a, b) => a - b);
      const { items, upTo } = await fetchMails(client, validity, numbers.slice(0, Math.min(limit, MAX_MAILS)));
      const next: JsonObject = { validity, uid: upTo ?? known.uid };
      return { kind: 'items', items, cursor: next, more: upTo !== null && upTo !== numbers.at(-1) };
    }),
};

function mailboxOf({ host, port, tls = true, allow_plain, user, password, auth }: JsonObject): Mailbox {
  const usual = tls === true ? PORT_OF_TLS : PORT;
  return {
    host: String(host),
    port: typeof port === 'number' ? port : usual,
    tls: tls === true,
    allowPlain: allow_plain === true,
    user: String(user),
    password: String(password),
    auth: auth === 'xoauth2' ? auth : 'password',
  };
}

async function search(client: ImapFlow, range: string): Promise<number[]> {
  const found = await client.search({ uid: range }, { uid: true });
  if (!found) throw refusedCommand('SEARCH');
  return found;
}

/** Fetches mails as far as their size allows. `upTo`: the last one that was looked at. */
async function fetchMails(
  client: ImapFlow,
  validity: number,
  numbers: readonly number[],
): Promise<{ items: PollItem[]; upTo: number | null }> {
  const items: PollItem[] = [];
  let upTo: number | null = null;
  let bytes = 0;
  for (const uid of numbers) {
    if (bytes > MAX_ALL_BYTES) break;
    const mail = await client.fetchOne(String(uid), { source: { start: 0, maxLength: MAX_BYTES } }, { uid: true });
    upTo = uid;
    // It was removed in between.
    if (!mail || mail.source === undefined) continue;
    const { source } = mail;
    bytes += source.length;
    items.push({
      id: `${validity}.${uid}`,
      trigger: { uid, ...(await mailOf(source)), truncated: source.length >= MAX_BYTES },
    });
  }
  return { items, upTo };
}

function placeOf(cursor: Json): Place | null {
  if (!isObject(cursor) || typeof cursor.validity !== 'number' || typeof cursor.uid !== 'number') return null;
  return { validity: cursor.validity, uid: cursor.uid };
}
