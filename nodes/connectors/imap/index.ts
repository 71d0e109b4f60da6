import type { JsonSchema } from '../../contract';
import type { CodeAction, Connector } from '../contract';
import { CA, hidden, HOST, portField, shown } from '../fields';
import { flag, integer, list, object, text } from '../schemas';
import { fetchMail, listMailboxes, markMail, moveMail, over, searchMails } from './actions';

const MAILBOX = text('Mailbox', 'INBOX unless it says so.', 'Orders', { minLength: 1, maxLength: 1_000 });
const UID = integer('Number', 'Of the mail in its mailbox, as a search gives it.', 4711, { minimum: 1 });
const DAY = { maxLength: 40 };

const outputOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

const mail = outputOf({
  uid: integer('Number', 'Of the mail in its mailbox.'),
  flags: list({ type: 'string' }, 'Flags', 'As `\\Seen`.'),
  from: { title: 'From', description: '`{name, address}`, or null.' },
  to: list({ type: 'object' }, 'To', '`{name, address}` of each.'),
  cc: list({ type: 'object' }, 'Copy', '`{name, address}` of each.'),
  subject: text('Subject', 'One line.'),
  text: { title: 'Text', description: 'The message without layout, or null.' },
  html: { title: 'HTML', description: 'The message with layout, or null.' },
  attachments: list({ type: 'object' }, 'Attachments', '`{filename, type, size}` of each.'),
  truncated: flag('Cut off', 'The mail is larger than 1 MiB.'),
});

const action = (line: Omit<CodeAction, 'kind' | 'repeatable'>, repeatable = true): CodeAction => ({
  kind: 'code',
  repeatable,
  ...line,
});

/** Mailboxes of anybody. */
export const imap: Connector = {
  name: 'imap',
  title: 'Mailbox (IMAP)',
  description: 'Searches, reads, marks and moves mails on a mail server.',
  category: 'Communication',
  docs: 'https://www.rfc-editor.org/rfc/rfc3501',
  auth: {
    required: true,
    fields: [
      HOST,
      portField(993),
      shown('tls', 'TLS', 'From the first byte; else by STARTTLS, which the server must offer.', {
        default: 'true',
        format: 'flag',
      }),
      shown(
        'allow_plain',
        'Plain text',
        'Without TLS from the first byte: sends the password to a server that offers none.',
        { default: 'false', format: 'flag' },
      ),
      shown('auth', 'Login', '`password`, or `xoauth2` with an access token as the password.', { default: 'password' }),
      shown('user', 'User name', 'Who logs in.', { required: true, example: 'ada@example.com' }),
      hidden('password', 'Password', 'Of that user; many providers want one made for this.', { required: true }),
      CA,
    ],
  },
  base: () => '',
  sign: (request) => request,
  probe: { action: 'list', input: {} },
  actions: [
    action({
      name: 'list',
      title: 'List mailboxes',
      description: 'Gives the names of all mailboxes.',
      effect: 'read',
      input: {},
      required: [],
      output: outputOf({
        mailboxes: list(
          object(
            { name: text('Name', 'With its folders.'), selectable: flag('Has mails', 'False: it only holds others.') },
            'Mailbox',
            'One of them.',
          ),
          'Mailboxes',
          '1,000 at most.',
        ),
        count: integer('Count', 'How many there are.'),
      }),
      run: over(listMailboxes),
    }),
    action({
      name: 'search',
      title: 'Search mails',
      description: 'Returns the numbers of mails that match all conditions, newest first.',
      effect: 'read',
      input: {
        mailbox: MAILBOX,
        from: text('From', 'A part of a sender.', 'ada@example.com', { maxLength: 1_000 }),
        to: text('To', 'A part of a recipient.', 'orders@example.com', { maxLength: 1_000 }),
        subject: text('Subject', 'A part of it.', 'Order', { maxLength: 1_000 }),
        text: text('Text', 'A part of anything in the mail.', '4711', { maxLength: 1_000 }),
        seen: flag('Seen', 'False: only unread ones.'),
        flagged: flag('Flagged', 'True: only those with a flag.'),
        since: text('Since', 'A day.', '2030-01-31', DAY),
        before: text('Before', 'A day.', '2030-02-28', DAY),
        limit: integer('Numbers at most', 'The newest.', 20, { minimum: 1, maximum: 10_000, default: 100 }),
      },
      required: [],
      output: outputOf({
        uids: list({ type: 'integer' }, 'Numbers', 'For `uid` of the other actions.'),
        count: integer('Count', 'How many fit.'),
      }),
      run: over(searchMails),
    }),
    action({
      name: 'fetch',
      title: 'Read a mail',
      description: 'Gives one mail, and does not mark it as read.',
      effect: 'read',
      input: { mailbox: MAILBOX, uid: UID },
      required: ['uid'],
      output: mail,
      run: over(fetchMail),
    }),
    action({
      name: 'mark',
      title: 'Mark a mail',
      description: 'Sets or removes flags of a mail; flags that are left out stay.',
      effect: 'write',
      input: {
        mailbox: MAILBOX,
        uid: UID,
        seen: flag('Seen', 'It has been read.'),
        flagged: flag('Flagged', 'It has a flag.'),
        answered: flag('Answered', 'It has been answered.'),
      },
      required: ['uid'],
      output: outputOf({ uid: integer('Number', 'Of the mail.') }),
      run: over(markMail),
    }),
    action(
      {
        name: 'move',
        title: 'Move a mail',
        description: 'Puts a mail into another mailbox, where it gets another number.',
        effect: 'write',
        input: {
          mailbox: MAILBOX,
          uid: UID,
          to: text('To', 'Which mailbox.', 'Done', { minLength: 1, maxLength: 1_000 }),
        },
        required: ['uid', 'to'],
        output: outputOf({ uid: integer('Number', 'That it had.'), mailbox: text('Mailbox', 'Where it is.') }),
        run: over(moveMail),
      },
      false,
    ),
  ],
};
