import type { ImapFlow, SearchObject } from 'imapflow';
import { EgressError } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import { bounded } from '../../bounded';
import type { Outcome } from '../../contract';
import { excerpt } from '../../redaction';
import { done, failConnection } from '../../outcome';
import { mailOf } from '../../pollers/email/mail';
import { inMailbox, refusedCommand } from '../../pollers/email/session';
import { PollFault } from '../../pollers/fault';
import { field, fieldOr } from '../auth';
import type { CodeAction } from '../contract';
import { InvalidInputError } from '../invalid-input-error';

const TIMEOUT_MS = 60_000;
const [PORT, PORT_OF_TLS] = [143, 993];
const MAX_BYTES = 1024 * 1024;
const MAX_MAILBOXES = 1_000;

/** An action that runs in an IMAP session, with errors as outcomes. */
export const over =
  (work: (input: JsonObject, client: ImapFlow) => Promise<JsonObject>): CodeAction['run'] =>
  async (input, account, ctx): Promise<Outcome> => {
    const tls = fieldOr(account, 'tls', 'true') === 'true';
    const usual = tls ? PORT_OF_TLS : PORT;
    const ca = fieldOr(account, 'ca', '');
    const mailbox = {
      host: field(account, 'host'),
      port: Number(fieldOr(account, 'port', String(usual))),
      tls,
      allowPlain: fieldOr(account, 'allow_plain', 'false') === 'true',
      user: field(account, 'user'),
      password: field(account, 'password'),
      auth: fieldOr(account, 'auth', 'password') === 'xoauth2' ? ('xoauth2' as const) : ('password' as const),
      ...(ca === '' ? {} : { ca }),
    };
    try {
      return await bounded(ctx.signal, TIMEOUT_MS, async (signal) =>
        done(await inMailbox(ctx.capabilities.net, mailbox, signal, (client) => work(input, client))),
      );
    } catch (fault) {
      if (fault instanceof EgressError) return failConnection('imap', fault, `IMAP: ${ctx.redact(fault.message)}`);
      if (!(fault instanceof PollFault)) throw fault;
      const { code, retryable } = fault;
      return { kind: 'fail', error: { code, message: `IMAP: ${excerpt(ctx.redact(fault.message))}` }, retryable };
    }
  };

export async function listMailboxes(_input: JsonObject, client: ImapFlow): Promise<JsonObject> {
  const mailboxes = await client.list({ listOnly: true });
  const names = mailboxes.map(({ path, flags }) => ({
    name: path,
    selectable: ![...flags].some((flag) => flag.toLowerCase() === '\\noselect'),
  }));
  return { mailboxes: names.slice(0, MAX_MAILBOXES), count: names.length };
}

export async function searchMails(input: JsonObject, client: ImapFlow): Promise<JsonObject> {
  const { seen, flagged, since, before } = input;
  const wanted: SearchObject = {
    ...(typeof seen === 'boolean' ? { seen } : {}),
    ...(typeof flagged === 'boolean' ? { flagged } : {}),
    ...(since === undefined ? {} : { since: dayOf('since', since) }),
    ...(before === undefined ? {} : { before: dayOf('before', before) }),
    ...Object.fromEntries(TEXTS.flatMap((key) => (input[key] === undefined ? [] : [[key, String(input[key])]]))),
  };
  await open(input, client, true);
  const newest = (await search(client, wanted)).sort((a, b) => b - a);
  const limit = typeof input.limit === 'number' ? input.limit : 100;
  return { uids: newest.slice(0, limit), count: newest.length };
}

const TEXTS = ['from', 'to', 'subject', 'text'] as const;

function dayOf(key: string, value: Json): Date {
  const [, day = ''] = /^(\d{4}-\d{2}-\d{2})/.exec(String(value)) ?? [];
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) throw new InvalidInputError(`"${key}" must be a day, as 2030-01-31`);
  return date;
}

async function search(client: ImapFlow, wanted: SearchObject): Promise<number[]> {
  const found = await client.search(wanted, { uid: true });
  if (!found) throw refusedCommand('SEARCH');
  return found;
}

export async function fetchMail(input: JsonObject, client: ImapFlow): Promise<JsonObject> {
  await open(input, client, true);
  const uid = uidOf(input);
  const wanted = { flags: true, source: { start: 0, maxLength: MAX_BYTES } };
  const mail = await client.fetchOne(String(uid), wanted, { uid: true });
  if (!mail || mail.source === undefined) throw missing(uid);
  const { flags = new Set<string>(), source } = mail;
  return { uid, flags: [...flags], ...(await mailOf(source)), truncated: source.length >= MAX_BYTES };
}

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['seen', '\\Seen'],
  ['flagged', '\\Flagged'],
  ['answered', '\\Answered'],
]);

export async function markMail(input: JsonObject, client: ImapFlow): Promise<JsonObject> {
  await open(input, client, false);
  const uid = await existing(input, client);
  const flagsOf = (wanted: boolean): string[] =>
    [...FLAGS].flatMap(([key, flag]) => (input[key] === wanted ? [flag] : []));
  const options = { uid: true, silent: true };
  const [add, remove] = [flagsOf(true), flagsOf(false)];
  if (add.length > 0 && !(await client.messageFlagsAdd(String(uid), add, options))) throw refusedCommand('STORE');
  if (remove.length > 0 && !(await client.messageFlagsRemove(String(uid), remove, options)))
    throw refusedCommand('STORE');
  return { uid };
}

export async function moveMail(input: JsonObject, client: ImapFlow): Promise<JsonObject> {
  await open(input, client, false);
  const [uid, to] = [await existing(input, client), nameOf(input.to)];
  // Without either, all mails that are marked as deleted would go.
  if (!client.capabilities.has('MOVE') && !client.capabilities.has('UIDPLUS'))
    throw new PollFault('imap_refused', 'the mail server can move no single mail (MOVE, UIDPLUS)', false);
  if (!(await client.messageMove(String(uid), to, { uid: true }))) throw refusedCommand('MOVE');
  return { uid, mailbox: to };
}

const open = (input: JsonObject, client: ImapFlow, readOnly: boolean): Promise<unknown> =>
  client.mailboxOpen(nameOf(input.mailbox), { readOnly });

/** The number of a mail that is there. @throws PollFault */
async function existing(input: JsonObject, client: ImapFlow): Promise<number> {
  const uid = uidOf(input);
  if (!(await search(client, { uid: String(uid) })).includes(uid)) throw missing(uid);
  return uid;
}

const missing = (uid: number): PollFault => new PollFault('imap_not_found', `there is no mail ${uid}`, false);

function uidOf({ uid }: JsonObject): number {
  if (typeof uid === 'number' && Number.isSafeInteger(uid) && uid > 0 && uid < 2 ** 32) return uid;
  throw new InvalidInputError('"uid" must be the number of a mail');
}

function nameOf(name: Json | undefined): string {
  const text = typeof name === 'string' ? name : 'INBOX';
  if (/[\r\n\0]/.test(text)) throw new InvalidInputError('the name of a mailbox must be one line');
  return text;
}
