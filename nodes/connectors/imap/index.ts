import type { JsonSchema } from '../../contract';
import type { CodeAction } from '../contract';
import { anyValue, filledText, flag, integer, list, object, text } from '../../schema';
import { fetchMail, listMailboxes, markMail, moveMail, over, searchMails } from './actions';
import { CA, HOST, plainField, portField, secretField } from '../credentials';
import { defineConnector } from '../define';

const MAILBOX = filledText('Mailbox. Default: INBOX.', 'Orders', { maxLength: 1_000 });
const UID = integer('UID of the message in the mailbox, as returned by a search.', 4711, { minimum: 1 });
const DAY = { maxLength: 40 };

const outputOf = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

const mail = outputOf({
  uid: integer('UID of the message in the mailbox.'),
  flags: list({ type: 'string' }, 'Flags, such as `\\Seen`.'),
  from: anyValue('`{name, address}`, or null.'),
  to: list({ type: 'object' }, 'List of `{name, address}`.'),
  cc: list({ type: 'object' }, 'List of `{name, address}`.'),
  subject: text('Subject.'),
  text: anyValue('Text body, or null.'),
  html: anyValue('HTML body, or null.'),
  attachments: list({ type: 'object' }, 'List of `{filename, type, size}`.'),
  truncated: flag('Whether the message is larger than 1 MiB.'),
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
  description: 'Search, read, flag and move messages on an IMAP server.',
  category: 'Communication',
  docs: 'https://www.rfc-editor.org/rfc/rfc3501',

  fields: [
    HOST,
    portField(993),
    plainField('tls', 'TLS', 'Uses TLS from the start; otherwise STARTTLS, which the server must support.', {
      required: false,
      default: 'true',
      format: 'flag',
    }),
    plainField(
      'allow_plain',
      'Plain text',
      'Allows sending the password without encryption if the server does not support STARTTLS.',
      { required: false, default: 'false', format: 'flag' },
    ),
    plainField('auth', 'Login', '`password`, or `xoauth2` with an access token as password.', {
      required: false,
      default: 'password',
    }),
    plainField('user', 'User name', 'User name to log in with.', 'ada@example.com'),
    secretField('password', 'Password', 'Password of the user; many providers require an app password.', undefined),
    CA,
  ],
  base: '',
  sign: (request) => request,
  connectionTest: 'list',
  actions: [
    action({
      name: 'list',
      title: 'List mailboxes',
      description: 'Lists all mailboxes.',
      effect: 'read',
      input: {},
      required: [],
      output: outputOf({
        mailboxes: list(
          object(
            {
              name: text('Full name including parents.'),
              selectable: flag('False if the mailbox only contains other mailboxes.'),
            },
            'One status.',
          ),
          'Mailboxes, up to 1,000.',
        ),
        count: integer('Number of items.'),
      }),
      run: over(listMailboxes),
    }),
    action({
      name: 'search',
      title: 'Search mails',
      description: 'Returns the UIDs of messages that match all conditions, newest first.',
      effect: 'read',
      input: {
        mailbox: MAILBOX,
        from: text('Part of a sender.', 'ada@example.com', { maxLength: 1_000 }),
        to: text('Part of a recipient.', 'orders@example.com', { maxLength: 1_000 }),
        subject: text('Part of the subject.', 'Order', { maxLength: 1_000 }),
        text: text('Part of the message.', '4711', { maxLength: 1_000 }),
        seen: flag('True: only read messages; false: only unread ones.'),
        flagged: flag('True: only flagged messages.'),
        since: text('Date.', '2030-01-31', DAY),
        before: text('Date.', '2030-02-28', DAY),
        limit: integer('Maximum number of messages.', 20, { minimum: 1, maximum: 10_000, default: 100 }),
      },
      required: [],
      output: outputOf({
        uids: list({ type: 'integer' }, 'UIDs for the other actions.'),
        count: integer('Number of matches.'),
      }),
      run: over(searchMails),
    }),
    action({
      name: 'fetch',
      title: 'Read a mail',
      description: 'Returns a message without marking it as read.',
      effect: 'read',
      input: { mailbox: MAILBOX, uid: UID },
      required: ['uid'],
      output: mail,
      run: over(fetchMail),
    }),
    action({
      name: 'mark',
      title: 'Mark a mail',
      description: 'Sets or removes flags of a message; other flags are unchanged.',
      effect: 'write',
      input: {
        mailbox: MAILBOX,
        uid: UID,
        seen: flag('Read.'),
        flagged: flag('Flagged.'),
        answered: flag('Answered.'),
      },
      required: ['uid'],
      output: outputOf({ uid: integer('Uid of the mail.') }),
      run: over(markMail),
    }),
    action(
      {
        name: 'move',
        title: 'Move a mail',
        description: 'Moves a message to another mailbox, where it gets a new UID.',
        effect: 'write',
        input: { mailbox: MAILBOX, uid: UID, to: filledText('Target mailbox.', 'Done', { maxLength: 1_000 }) },
        required: ['uid', 'to'],
        output: outputOf({ uid: integer('UID in the original mailbox.'), mailbox: text('Chat or mailbox.') }),
        run: over(moveMail),
      },
      false,
    ),
  ],
});
