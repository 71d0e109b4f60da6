import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { Poller, PollItem } from '../contract';
import { unreadable } from '../fault';
import { mailOf } from './mail';
import { mailboxName } from './mailbox-name';
import { ImapSession, type Mailbox } from './session';

const [PORT, PORT_OF_TLS] = [143, 993];
/** Mails that one poll fetches, and bytes of each and all. */
const MOST_MAILS = 25;
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
  async poll({ config, cursor, net, signal, limit }) {
    const session = await ImapSession.open(net, mailboxOf(config), signal);
    try {
      const { validity, last } = await examine(session, String(config.mailbox ?? 'INBOX'));
      const known = placeOf(cursor);
      // Other numbers: what is there now is known, since nothing says what of it is new.
      if (known === null || known.validity !== validity)
        return {
          kind: 'items',
          items: [],
          cursor: { validity, uid: last ?? (await lastNumber(session)) },
          more: false,
        };
      const numbers = await numbersAfter(session, known.uid);
      const { items, upTo } = await fetchMails(session, validity, numbers.slice(0, Math.min(limit, MOST_MAILS)));
      const next: JsonObject = { validity, uid: upTo ?? known.uid };
      return { kind: 'items', items, cursor: next, more: upTo !== null && upTo !== numbers.at(-1) };
    } finally {
      session.close();
    }
  },
};

function mailboxOf({ host, port, tls = true, user, password }: JsonObject): Mailbox {
  const usual = tls === true ? PORT_OF_TLS : PORT;
  return {
    host: String(host),
    port: typeof port === 'number' ? port : usual,
    tls: tls === true,
    user: String(user),
    password: String(password),
  };
}

/** `last`: the number of the newest mail there ever was; null where the server does not say. */
async function examine(session: ImapSession, mailbox: string): Promise<{ validity: number; last: number | null }> {
  const { responses } = await session.run('EXAMINE', mailboxName(mailbox));
  const numberIn = (word: string): number | null => {
    const pattern = new RegExp(`^\\* OK \\[${word} (\\d{1,10})\\]`, 'i');
    const [found] = responses.flatMap(({ line }) => pattern.exec(line)?.[1] ?? []);
    return found === undefined ? null : Number(found);
  };
  const [validity, next] = [numberIn('UIDVALIDITY'), numberIn('UIDNEXT')];
  if (validity === null) throw unreadable('the mail server does not number its mails (UIDVALIDITY)');
  return { validity, last: next === null ? null : next - 1 };
}

const lastNumber = async (session: ImapSession): Promise<number> => (await search(session, '*')).at(-1) ?? 0;

/** The numbers of mails after one, rising. `*` is the last mail, however small its number is. */
const numbersAfter = async (session: ImapSession, uid: number): Promise<number[]> =>
  (await search(session, `${uid + 1}:*`)).filter((number) => number > uid).sort((a, b) => a - b);

async function search(session: ImapSession, range: string): Promise<number[]> {
  const { responses } = await session.run(`UID SEARCH UID ${range}`);
  return responses
    .filter(({ line }) => /^\* SEARCH\b/i.test(line))
    .flatMap(({ line }) => line.split(' ').slice(2).map(Number))
    .filter((number) => Number.isSafeInteger(number));
}

/** Fetches mails as far as their size allows. `upTo`: the last one that was looked at. */
async function fetchMails(
  session: ImapSession,
  validity: number,
  numbers: readonly number[],
): Promise<{ items: PollItem[]; upTo: number | null }> {
  const items: PollItem[] = [];
  let upTo: number | null = null;
  let bytes = 0;
  for (const uid of numbers) {
    if (bytes > MAX_ALL_BYTES) break;
    const raw = await fetchMail(session, uid);
    upTo = uid;
    // It was removed in between.
    if (raw === null) continue;
    bytes += raw.length;
    items.push({
      id: `${validity}.${uid}`,
      trigger: { uid, ...(await mailOf(raw)), truncated: raw.length >= MAX_BYTES },
    });
  }
  return { items, upTo };
}

async function fetchMail(session: ImapSession, uid: number): Promise<Buffer | null> {
  const { responses } = await session.run(`UID FETCH ${uid} (UID BODY.PEEK[]<0.${MAX_BYTES}>)`);
  const own = responses.find(({ line, literals }) => /^\* \d+ FETCH\b/i.test(line) && literals.length > 0);
  return own?.literals[0] ?? null;
}

function placeOf(cursor: Json): Place | null {
  if (!isObject(cursor) || typeof cursor.validity !== 'number' || typeof cursor.uid !== 'number') return null;
  return { validity: cursor.validity, uid: cursor.uid };
}
