import type { JsonSchema } from '../../contract';
import type { CodeAction, Connector } from '../contract';
import { filledText, flag, integer, list, object, text } from '../../schema';
import { fetchMail, listMailboxes, markMail, moveMail, over, searchMails } from './actions';
import { CA, HOST, plainField, portField, secretField } from '../credentials';
import { defineConnector } from '../define';

const MAILBOX = filledText('INBOX unless it says so.', 'Orders', { maxLength: 1_000 });
const UID = integer('Of the mail in its mailbox, as a search gives it.', 4711, { minimum: 1 });
const DAY = { maxLength: 40 };

const outputOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

const mail = outputOf({
  uid: integer('Of the mail in its mailbox.'),
  flags: list({ type: 'string' }, 'As `\\Seen`.'),
  from: { title: 'From', description: '`{name, address}`, or null.' },
  to: list({ type: 'object' }, '`{name, address}` of each.'),
  cc: list({ type: 'object' }, '`{name, address}` of each.'),
  subject: text('One line.'),
  text: { title: 'Text', description: 'The message without layout, or null.' },
  html: { title: 'HTML', description: 'The message with layout, or null.' },
  attachments: list({ type: 'object' }, '`{filename, type, size}` of each.'),
  truncated: flag('The mail is larger than 1 MiB.'),
});

const action = (line: Omit<CodeAction, 'kind' | 'repeatable'>, repeatable = true): CodeAction => ({
  kind: 'code',
  repeatable,
  ...line,
});

/** Mailboxes of anybody. */
export const imap = defineConnector({
  name: 'imap',
  title: 'Mailbox (IMAP)',
  description: 'Searches, reads, marks and moves mails on a mail server.',
  category: 'Communication',
  docs: 'https://www.rfc-editor.org/rfc/rfc3501',

  fields: [
    HOST,
    portField(993),
    plainField('tls', 'TLS', 'From the first byte; else by STARTTLS, which the server must offer.', undefined, {
      required: false,
      default: 'true',
      format: 'flag',
    }),
    plainField(
      'allow_plain',
      'Plain text',
      'Without TLS from the first byte: sends the password to a server that offers none.',
      undefined,
      { required: false, default: 'false', format: 'flag' },
    ),
    plainField('auth', 'Login', '`password`, or `xoauth2` with an access token as the password.', undefined, {
      required: false,
      default: 'password',
    }),
    plainField('user', 'User name', 'Who logs in.', 'ada@example.com'),
    secretField('password', 'Password', 'Of that user; many providers want one made for this.', undefined),
    CA,
  ],
  base: '',
  sign: (request) => request,
  probe: 'list',
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
          object({ name: text('With its folders.'), selectable: flag('False: it only holds others.') }, 'One of them.'),
          '1,000 at most.',
        ),
        count: integer('How many there are.'),
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
        from: text('A part of a sender.', 'ada@example.com', { maxLength: 1_000 }),
        to: text('A part of a recipient.', 'orders@example.com', { maxLength: 1_000 }),
        subject: text('A part of it.', 'Order', { maxLength: 1_000 }),
        text: text('A part of anything in the mail.', '4711', { maxLength: 1_000 }),
        seen: flag('False: only unread ones.'),
        flagged: flag('True: only those with a flag.'),
        since: text('A day.', '2030-01-31', DAY),
        before: text('A day.', '2030-02-28', DAY),
        limit: integer('The newest.', 20, { minimum: 1, maximum: 10_000, default: 100 }),
      },
      required: [],
      output: outputOf({
        uids: list({ type: 'integer' }, 'For `uid` of the other actions.'),
        count: integer('How many fit.'),
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
        seen: flag('It has been read.'),
        flagged: flag('It has a flag.'),
        answered: flag('It has been answered.'),
      },
      required: ['uid'],
      output: outputOf({ uid: integer('Of the mail.') }),
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
          to: filledText('Which mailbox.', 'Done', { maxLength: 1_000 }),
        },
        required: ['uid', 'to'],
        output: outputOf({ uid: integer('That it had.'), mailbox: text('Where it is.') }),
        run: over(moveMail),
      },
      false,
    ),
  ],
});
