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

/** UID of the last known mail. It is valid as long as the mailbox keeps its UIDVALIDITY. */
interface Position {
  readonly validity: number;
  readonly uid: number;
}

/** New mails of a mailbox. It is opened read-only: mails are not marked, moved or removed. */
export const email: Poller = {
  type: 'email',
  poll: ({ config, cursor, net, signal, limit }) =>
    inMailbox(net, mailboxOf(config), signal, async (client) => {
      const { uidValidity, uidNext } = await client.mailboxOpen(String(config.mailbox ?? 'INBOX'), { readOnly: true });
      // The client's types declare it as present, but servers may omit it.
      const validity = Number(uidValidity ?? 0);
      if (validity === 0) throw unreadable('the mail server does not number its mails (UIDVALIDITY)');
      const known = positionOf(cursor);
      // With another UIDVALIDITY, all present mails count as known, as nothing shows which are new.
      if (known === null || known.validity !== validity) {
        const last = uidNext ? uidNext - 1 : ((await search(client, '*')).at(-1) ?? 0);
        return { kind: 'items', items: [], cursor: { validity, uid: last }, more: false };
      }
      // `*` is the last mail, even if its UID is lower than the range begins.
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

/** Fetches mails up to the size limit. `upTo`: UID of the last one. */
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
    // It was removed meanwhile.
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

function positionOf(cursor: Json): Position | null {
  if (!isObject(cursor) || typeof cursor.validity !== 'number' || typeof cursor.uid !== 'number') return null;
  return { validity: cursor.validity, uid: cursor.uid };
}
