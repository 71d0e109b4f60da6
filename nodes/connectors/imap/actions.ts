import { EgressError } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import { bounded } from '../../bounded';
import type { Outcome } from '../../contract';
import { excerpt } from '../../mask';
import { done, failConnection } from '../../outcome';
import { mailOf } from '../../pollers/email/mail';
import { mailboxName } from '../../pollers/email/mailbox-name';
import { ImapSession } from '../../pollers/email/session';
import { PollFault } from '../../pollers/fault';
import { field, fieldOr } from '../auth';
import type { CodeAction } from '../contract';
import { Unusable } from '../unusable';
import { criteriaOf } from './criteria';

const TIMEOUT_MS = 60_000;
const [PORT, PORT_OF_TLS] = [143, 993];
const MAX_BYTES = 1024 * 1024;
const MOST_MAILBOXES = 1_000;

/** An action over a session of IMAP, with its failures in words. */
export const over =
  (work: (input: JsonObject, session: ImapSession) => Promise<JsonObject>): CodeAction['run'] =>
  async (input, account, ctx): Promise<Outcome> => {
    const tls = fieldOr(account, 'tls', 'true') === 'true';
    const usual = tls ? PORT_OF_TLS : PORT;
    const mailbox = {
      host: field(account, 'host'),
      port: Number(fieldOr(account, 'port', String(usual))),
      tls,
      user: field(account, 'user'),
      password: field(account, 'password'),
    };
    try {
      return await bounded(ctx.signal, TIMEOUT_MS, async (signal) => {
        const session = await ImapSession.open(ctx.means.net, mailbox, signal);
        try {
          return done(await work(input, session));
        } finally {
          session.close();
        }
      });
    } catch (fault) {
      if (fault instanceof EgressError) return failConnection('imap', fault, `IMAP: ${ctx.mask(fault.message)}`);
      if (!(fault instanceof PollFault)) throw fault;
      const { code, retryable } = fault;
      return { kind: 'fail', error: { code, message: `IMAP: ${excerpt(ctx.mask(fault.message))}` }, retryable };
    }
  };

export async function listMailboxes(_input: JsonObject, session: ImapSession): Promise<JsonObject> {
  const { responses } = await session.run('LIST "" "*"');
  const names = responses.flatMap(({ line, literals: [literal] }) => {
    const [, flags = '', name = ''] = /^\* LIST \(([^)]*)\) (?:"(?:[^"\\]|\\.)*"|NIL) (.+)$/i.exec(line) ?? [];
    if (name === '') return [];
    const plain = literal === undefined ? name.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1') : literal.toString();
    return [{ name: readName(plain), selectable: !/\\Noselect/i.test(flags) }];
  });
  return { mailboxes: names.slice(0, MOST_MAILBOXES), count: names.length };
}

export async function searchMails(input: JsonObject, session: ImapSession): Promise<JsonObject> {
  await session.run('EXAMINE', nameOf(input.mailbox));
  const { words, texts } = criteriaOf(input);
  let found = await search(session, words.length === 0 ? 'ALL' : words.join(' '));
  // A text goes as a literal at the end of a command, so each has a search of its own.
  for (const [word, text] of texts) {
    const also = new Set(await search(session, word, text));
    found = found.filter((uid) => also.has(uid));
  }
  const newest = [...found].sort((a, b) => b - a);
  const limit = typeof input.limit === 'number' ? input.limit : 100;
  return { uids: newest.slice(0, limit), count: newest.length };
}

async function search(session: ImapSession, criteria: string, ...texts: readonly string[]): Promise<number[]> {
  const charset = texts.length === 0 ? '' : 'CHARSET UTF-8 ';
  const { responses } = await session.run(`UID SEARCH ${charset}${criteria}`, ...texts);
  return responses
    .filter(({ line }) => /^\* SEARCH\b/i.test(line))
    .flatMap(({ line }) => line.split(' ').slice(2).map(Number))
    .filter((number) => Number.isSafeInteger(number) && number > 0);
}

export async function fetchMail(input: JsonObject, session: ImapSession): Promise<JsonObject> {
  await session.run('EXAMINE', nameOf(input.mailbox));
  const uid = uidOf(input);
  const { responses } = await session.run(`UID FETCH ${uid} (UID FLAGS BODY.PEEK[]<0.${MAX_BYTES}>)`);
  const own = responses.find(({ line, literals }) => /^\* \d+ FETCH\b/i.test(line) && literals.length > 0);
  const raw = own?.literals[0];
  if (own === undefined || raw === undefined) throw missing(uid);
  const flags = /FLAGS \(([^)]*)\)/i.exec(own.line)?.[1] ?? '';
  return {
    uid,
    flags: flags.split(' ').filter((flag) => flag !== ''),
    ...(await mailOf(raw)),
    truncated: raw.length >= MAX_BYTES,
  };
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['seen', '\\Seen'],
  ['flagged', '\\Flagged'],
  ['answered', '\\Answered'],
]);

export async function markMail(input: JsonObject, session: ImapSession): Promise<JsonObject> {
  await session.run('SELECT', nameOf(input.mailbox));
  const uid = uidOf(input);
  const named = (wanted: boolean): string =>
    [...FLAGS].flatMap(([key, flag]) => (input[key] === wanted ? [flag] : [])).join(' ');
  await assertThere(session, uid);
  for (const [sign, flags] of [
    ['+', named(true)],
    ['-', named(false)],
  ])
    if (flags !== '') await session.run(`UID STORE ${uid} ${sign}FLAGS.SILENT (${flags})`);
  return { uid };
}

export async function moveMail(input: JsonObject, session: ImapSession): Promise<JsonObject> {
  await session.run('SELECT', nameOf(input.mailbox));
  const [uid, to] = [uidOf(input), nameOf(input.to)];
  await assertThere(session, uid);
  const { responses } = await session.run('CAPABILITY');
  const offers = (word: string): boolean => responses.some(({ line }) => line.toUpperCase().split(' ').includes(word));
  if (offers('MOVE')) {
    await session.run(`UID MOVE ${uid}`, to);
  } else if (offers('UIDPLUS')) {
    await session.run(`UID COPY ${uid}`, to);
    await session.run(`UID STORE ${uid} +FLAGS.SILENT (\\Deleted)`);
    await session.run(`UID EXPUNGE ${uid}`);
  } else throw new PollFault('imap_refused', 'the mail server can move no single mail (MOVE, UIDPLUS)', false);
  return { uid, mailbox: String(input.to) };
}

/** @throws PollFault */
async function assertThere(session: ImapSession, uid: number): Promise<void> {
  const found = await search(session, `UID ${uid}`);
  if (!found.includes(uid)) throw missing(uid);
}

const missing = (uid: number): PollFault => new PollFault('imap_not_found', `there is no mail ${uid}`, false);

function uidOf({ uid }: JsonObject): number {
  if (typeof uid === 'number' && Number.isSafeInteger(uid) && uid > 0 && uid < 2 ** 32) return uid;
  throw new Unusable('"uid" must be the number of a mail');
}

function nameOf(name: Json | undefined): string {
  const text = typeof name === 'string' ? name : 'INBOX';
  if (/[\r\n\0]/.test(text)) throw new Unusable('the name of a mailbox must be one line');
  return mailboxName(text);
}

/** A name in IMAP's own kind of UTF-7 (RFC 3501 section 5.1.3) as text. */
const readName = (name: string): string =>
  name.replace(/&([^-]*)-/g, (_all, base64: string) => {
    if (base64 === '') return '&';
    const bytes = Buffer.from(base64.replaceAll(',', '/'), 'base64');
    return bytes.length % 2 === 0 ? bytes.swap16().toString('utf16le') : base64;
  });
