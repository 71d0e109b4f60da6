import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../lib/json';
import { basic, field } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { urlPath } from '../http/path';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, list, outputOf, record, text } from '../../schema';
import { Unusable } from '../unusable';
import { secretField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction } from '../define';

const AUDIENCE = { audience: filledText('Its id.', '57afe96172') };
const EMAIL = { email: text('Of the member.', 'ada@example.com', { minLength: 3 }) };
const STATUSES = ['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional'];
const MEMBER = outputOf({
  id: text('Of the member in the audience.', '62eeb292278cc15f5817cb78f7790b08'),
  email_address: text('Of the member.', 'ada@example.com'),
  status: text('Such as `subscribed`.', 'subscribed'),
});
const PAGE = { count: 1000, offset: 0 };
const pagesOf = (items: string) => byOffset({ items, offset: 'offset', size: 'count' });

/** A member is called by the MD5 of the address in lower case. */
const memberOf = ({ audience, email }: JsonObject): string =>
  urlPath`/lists/${audience}/members/${createHash('md5').update(String(email).trim().toLowerCase()).digest('hex')}`;

const tagsOf = (names: Json | undefined, status: 'active' | 'inactive'): JsonObject[] =>
  (Array.isArray(names) ? names : []).map((name) => ({ name, status }));

const TAGS = (description: string) => list({ type: 'string' }, description, ['wholesale']);

const actions: readonly HttpAction[] = [
  readAction('ping', 'Whether the key counts.', {
    output: outputOf({ health_status: text('A word.', "Everything's Chimpy!") }),
    call: 'GET /ping',
  }),
  readAction('list_audiences', 'Audiences of the account.', {
    item: outputOf({
      id: text('Of the audience.', '57afe96172'),
      name: text('As people read it.', 'Newsletter'),
    }),
    call: 'GET /lists',
    query: PAGE,
    pages: pagesOf('lists'),
  }),
  readAction('list_members', 'Members of an audience.', {
    required: AUDIENCE,
    optional: {
      status: choice(STATUSES, 'Only those.'),
      since_last_changed: text('An instant.', '2026-01-01T00:00:00+00:00'),
    },
    item: MEMBER,
    call: 'GET /lists/{audience}/members',
    query: { ...PAGE },
    pages: pagesOf('members'),
  }),
  readAction('get_member', 'One member of an audience.', {
    required: { ...AUDIENCE, ...EMAIL },
    output: MEMBER,
    request: (input) => ({ method: 'GET', url: memberOf(input) }),
  }),
  idempotentWrite('upsert_member', 'Changes the member with an address, or adds one.', {
    required: { ...AUDIENCE, ...EMAIL },
    optional: {
      status_if_new: choice(STATUSES, 'Of one who is added; `pending` asks for consent.', {
        default: 'pending',
      }),
      status: choice(STATUSES, 'Of one who is there already as well.'),
      merge_fields: record('Values by the tags of the fields.', { FNAME: 'Ada' }),
      language: text('By ISO 639.', 'de'),
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
  idempotentWrite('set_tags', 'Gives tags to a member, and takes others.', {
    required: { ...AUDIENCE, ...EMAIL },
    optional: { add: TAGS('Names of tags.'), remove: TAGS('Names of tags.') },
    ...NO_OUTPUT,
    request: (input) => ({
      method: 'POST',
      url: `${memberOf(input)}/tags`,
      body: { tags: [...tagsOf(input.add, 'active'), ...tagsOf(input.remove, 'inactive')] },
    }),
  }),
  idempotentWrite('archive_member', 'Takes a member out of an audience; they can come back.', {
    required: { ...AUDIENCE, ...EMAIL },
    ...NO_OUTPUT,
    request: (input) => ({ method: 'DELETE', url: memberOf(input) }),
  }),
];

/** Where the account is kept stands behind the key: `...-us6`. */
const CENTER = /-([a-z]{2,4}\d{1,3})$/;

export const mailchimp = defineConnector({
  name: 'mailchimp',
  title: 'Mailchimp',
  description: 'Audiences, their members and tags.',
  category: 'Marketing',
  docs: 'https://mailchimp.com/developer/marketing/api/',

  fields: [secretField('api_key', 'API key', 'Account, Extras, API keys; with its end.', '0123456789abcdef-us6')],
  base(account) {
    const center = CENTER.exec(field(account, 'api_key'))?.[1];
    if (center === undefined) throw new Unusable('"api_key" of the connection must end like -us6');
    return `https://${center}.api.mailchimp.com/3.0`;
  },
  sign: (request, account) =>
    basic('user', 'api_key')(request, { credentials: { ...account.credentials, user: 'everstep' } }),
  fault: faultFrom({
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
  probe: 'ping',
  actions,
});
