import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../lib/json';
import { basic, field } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, hidden, NOTHING, nothing, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { at } from '../http/path';
import { codeAt, worded } from '../http/error-text';
import { choice, list, outputOf, record, text } from '../schemas';
import { Unusable } from '../unusable';

const AUDIENCE = { audience: text('Audience', 'Its id.', '57afe96172', { minLength: 1 }) };
const EMAIL = { email: text('E-mail address', 'Of the member.', 'ada@example.com', { minLength: 3 }) };
const STATUSES = ['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional'];
const MEMBER = outputOf({
  id: text('Id', 'Of the member in the audience.', '62eeb292278cc15f5817cb78f7790b08'),
  email_address: text('E-mail address', 'Of the member.', 'ada@example.com'),
  status: text('Status', 'Such as `subscribed`.', 'subscribed'),
});
const PAGE = { count: 1000, offset: 0 };
const pagesOf = (items: string) => byOffset({ items, offset: 'offset', size: 'count' });

/** A member is called by the MD5 of the address in lower case. */
const memberOf = ({ audience, email }: JsonObject): string =>
  at`/lists/${audience}/members/${createHash('md5').update(String(email).trim().toLowerCase()).digest('hex')}`;

const tagsOf = (names: Json | undefined, status: 'active' | 'inactive'): JsonObject[] =>
  (Array.isArray(names) ? names : []).map((name) => ({ name, status }));

const TAGS = (title: string, description: string) => list({ type: 'string' }, title, description, ['wholesale']);

const actions: readonly HttpAction[] = [
  asks('ping', 'Try the connection', 'Whether the key counts.', {
    output: outputOf({ health_status: text('State', 'A word.', "Everything's Chimpy!") }),
    call: 'GET /ping',
  }),
  asks('list_audiences', 'List audiences', 'Audiences of the account.', {
    item: outputOf({
      id: text('Id', 'Of the audience.', '57afe96172'),
      name: text('Name', 'As people read it.', 'Newsletter'),
    }),
    call: 'GET /lists',
    query: PAGE,
    pages: pagesOf('lists'),
  }),
  asks('list_members', 'List members', 'Members of an audience.', {
    needs: AUDIENCE,
    may: {
      status: choice(STATUSES, 'Status', 'Only those.'),
      since_last_changed: text('Changed since', 'An instant.', '2026-01-01T00:00:00+00:00'),
    },
    item: MEMBER,
    call: 'GET /lists/{audience}/members',
    query: { ...PAGE },
    pages: pagesOf('members'),
  }),
  asks('get_member', 'Get a member', 'One member of an audience.', {
    needs: { ...AUDIENCE, ...EMAIL },
    output: MEMBER,
    request: (input) => ({ method: 'GET', url: memberOf(input) }),
  }),
  settles('upsert_member', 'Add or change a member', 'Changes the member with an address, or adds one.', {
    needs: { ...AUDIENCE, ...EMAIL },
    may: {
      status_if_new: choice(STATUSES, 'Status where new', 'Of one who is added; `pending` asks for consent.', {
        default: 'pending',
      }),
      status: choice(STATUSES, 'Status', 'Of one who is there already as well.'),
      merge_fields: record('Fields', 'Values by the tags of the fields.', { FNAME: 'Ada' }),
      language: text('Language', 'By ISO 639.', 'de'),
    },
    output: MEMBER,
    request: (input) => ({
      method: 'PUT',
      url: memberOf(input),
      body: {
        email_address: input.email ?? null,
        status_if_new: 'pending',
        ...pick(input, 'status_if_new', 'status', 'merge_fields', 'language'),
      },
    }),
  }),
  settles('set_tags', 'Set tags', 'Gives tags to a member, and takes others.', {
    needs: { ...AUDIENCE, ...EMAIL },
    may: { add: TAGS('Give', 'Names of tags.'), remove: TAGS('Take', 'Names of tags.') },
    output: NOTHING,
    request: (input) => ({
      method: 'POST',
      url: `${memberOf(input)}/tags`,
      body: { tags: [...tagsOf(input.add, 'active'), ...tagsOf(input.remove, 'inactive')] },
    }),
    read: nothing,
  }),
  settles('archive_member', 'Archive a member', 'Takes a member out of an audience; they can come back.', {
    needs: { ...AUDIENCE, ...EMAIL },
    output: NOTHING,
    request: (input) => ({ method: 'DELETE', url: memberOf(input) }),
    read: nothing,
  }),
];

/** Where the account is kept stands behind the key: `...-us6`. */
const CENTER = /-([a-z]{2,4}\d{1,3})$/;

export const mailchimp: Connector = {
  name: 'mailchimp',
  title: 'Mailchimp',
  description: 'Audiences, their members and tags.',
  category: 'Marketing',
  docs: 'https://mailchimp.com/developer/marketing/api/',
  auth: {
    required: true,
    fields: [hidden('api_key', 'API key', 'Account, Extras, API keys; with its end.', '0123456789abcdef-us6')],
  },
  base(account) {
    const center = CENTER.exec(field(account, 'api_key'))?.[1];
    if (center === undefined) throw new Unusable('"api_key" of the connection must end like -us6');
    return `https://${center}.api.mailchimp.com/3.0`;
  },
  sign: (request, account) =>
    basic('user', 'api_key')(request, { credentials: { ...account.credentials, user: 'everstep' } }),
  fault: worded({
    message: [
      (answer) => {
        const wrong = bodyAt(answer, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(answer);
        return message === null ? null : `${String(wrong ?? 'request')}: ${message}`;
      },
      messageAt('detail'),
    ],
    code: codeAt('title'),
  }),
  probe: { action: 'ping', input: {} },
  actions,
};
