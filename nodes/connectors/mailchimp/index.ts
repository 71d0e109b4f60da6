import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '../../../lib/json';
import { basic, field } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { bodyAt, byOffset } from '../http/pages';
import { urlPath } from '../http/path';
import { codeAt, faultFrom } from '../http/error-text';
import { choice, filledText, list, outputOf, record, text } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import { secretField } from '../credentials';
import { pick } from '../input';
import { NO_OUTPUT, defineConnector, idempotentWrite, readAction } from '../define';

const AUDIENCE = { audience: filledText('ID of the audience.', '57afe96172') };
const EMAIL = { email: text('Email of the member.', 'ada@example.com', { minLength: 3 }) };
const STATUSES = ['subscribed', 'unsubscribed', 'cleaned', 'pending', 'transactional'];
const MEMBER = outputOf({
  id: text('ID of the member in the audience.', '62eeb292278cc15f5817cb78f7790b08'),
  email_address: text('Email address of the member.', 'ada@example.com'),
  status: text('Status, such as `subscribed`.', 'subscribed'),
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
  readAction('ping', 'Tests the API key.', {
    output: outputOf({ health_status: text('Status.', "Everything's Chimpy!") }),
    call: 'GET /ping',
  }),
  readAction('list_audiences', 'Lists audiences of the account.', {
    item: outputOf({ id: text('ID of the audience.', '57afe96172'), name: text('Display name.', 'Newsletter') }),
    call: 'GET /lists',
    query: PAGE,
    pages: pagesOf('lists'),
  }),
  readAction('list_members', 'Lists members of an audience.', {
    required: AUDIENCE,
    optional: {
      status: choice(STATUSES, 'Filter by status.'),
      since_last_changed: text('Time in ISO 8601 format.', '2026-01-01T00:00:00+00:00'),
    },
    item: MEMBER,
    call: 'GET /lists/{audience}/members',
    query: { ...PAGE },
    pages: pagesOf('members'),
  }),
  readAction('get_member', 'Returns a member of an audience.', {
    required: { ...AUDIENCE, ...EMAIL },
    output: MEMBER,
    request: (input) => ({ method: 'GET', url: memberOf(input) }),
  }),
  idempotentWrite('upsert_member', 'Creates a member, or updates the member with this email address.', {
    required: { ...AUDIENCE, ...EMAIL },
    optional: {
      status_if_new: choice(STATUSES, 'Status of a new member; `pending` asks for consent.', { default: 'pending' }),
      status: choice(STATUSES, 'Status, also of an existing member.'),
      merge_fields: record('Values by merge tag.', { FNAME: 'Ada' }),
      language: text('ISO 639 language code.', 'de'),
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
  idempotentWrite('set_tags', 'Adds and removes tags of a member.', {
    required: { ...AUDIENCE, ...EMAIL },
    optional: { add: TAGS('Names of tags.'), remove: TAGS('Names of tags.') },
    ...NO_OUTPUT,
    request: (input) => ({
      method: 'POST',
      url: `${memberOf(input)}/tags`,
      body: { tags: [...tagsOf(input.add, 'active'), ...tagsOf(input.remove, 'inactive')] },
    }),
  }),
  idempotentWrite('archive_member', 'Archives a member of an audience; it can be added again.', {
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
  description: 'Manage audiences, members and tags.',
  category: 'Marketing',
  docs: 'https://mailchimp.com/developer/marketing/api/',

  fields: [
    secretField(
      'api_key',
      'API key',
      'Account > Extras > API keys, including the data center suffix.',
      '0123456789abcdef-us6',
    ),
  ],
  base(account) {
    const center = CENTER.exec(field(account, 'api_key'))?.[1];
    if (center === undefined) throw new InvalidInputError('"api_key" of the connection must end like -us6');
    return `https://${center}.api.mailchimp.com/3.0`;
  },
  sign: (request, account) =>
    basic('user', 'api_key')(request, { credentials: { ...account.credentials, user: 'everstep' } }),
  fault: faultFrom({
    message: [
      (response) => {
        const wrong = bodyAt(response, 'errors[0].field');
        const message = messageAt('errors', 0, 'message')(response);
        return message === null ? null : `${String(wrong ?? 'request')}: ${message}`;
      },
      messageAt('detail'),
    ],
    code: codeAt('title'),
  }),
  connectionTest: 'ping',
  actions,
});
