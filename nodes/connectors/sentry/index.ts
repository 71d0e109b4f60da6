import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, fieldErrorsAt, timeInHeader, faultFrom } from '../http/error-text';
import { anyId, choice, filledText, list, outputOf, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { defineConnector, idempotentWrite, readAction } from '../define';

const ORGANIZATION = { organization: filledText('Its name in links.', 'acme') };
const ISSUE_ID = { issue: anyId('Its id.', '1170820242') };
const NAMED = outputOf({
  id: text('Of the thing.', '2'),
  slug: text('What other actions call it.', 'acme'),
  name: text('As people read it.', 'Acme'),
});
const ISSUE = outputOf({
  id: text('Of the issue.', '1170820242'),
  shortId: text('As people call it.', 'SHOP-3'),
  title: text('What went wrong.', 'TypeError: x is not a function'),
  status: text('Such as `unresolved`.', 'unresolved'),
  permalink: text('Where people see it.', 'https://acme.sentry.io/issues/1170820242/'),
});

const actions: readonly HttpAction[] = [
  readAction('list_organizations', 'Organizations that the token sees.', {
    item: NAMED,
    call: 'GET /organizations/',
    pages: byLink(),
  }),
  readAction('list_projects', 'Projects of an organization.', {
    required: ORGANIZATION,
    item: NAMED,
    call: 'GET /organizations/{organization}/projects/',
    pages: byLink(),
  }),
  readAction('list_issues', 'Issues of an organization.', {
    required: ORGANIZATION,
    optional: {
      project: list({ type: 'integer' }, 'Ids of projects; all where it is left out.', [4_504_044_639_748_096]),
      query: text('In the words of the search of Sentry.', 'is:unresolved level:error'),
      sort: choice(['date', 'new', 'trends', 'freq', 'user'], 'By what.'),
      statsPeriod: text('How far back.', '14d'),
      environment: text('Its name.', 'production'),
    },
    item: ISSUE,
    call: 'GET /organizations/{organization}/issues/',
    query: { limit: 100 },
    pages: byLink(),
  }),
  readAction('get_issue', 'One issue.', {
    required: { ...ORGANIZATION, ...ISSUE_ID },
    output: ISSUE,
    call: 'GET /organizations/{organization}/issues/{issue}/',
  }),
  idempotentWrite('update_issue', 'Resolves, ignores or assigns an issue.', {
    required: { ...ORGANIZATION, ...ISSUE_ID },
    optional: {
      status: choice(['resolved', 'resolvedInNextRelease', 'unresolved', 'ignored'], 'How it stands.'),
      assignedTo: text('A user name, or `user:` or `team:` and an id.', 'ada@example.com'),
    },
    output: ISSUE,
    call: 'PUT /organizations/{organization}/issues/{issue}/',
  }),
  readAction('list_events', 'Each time that an issue came up.', {
    required: { ...ORGANIZATION, ...ISSUE_ID },
    item: outputOf({
      eventID: text('What it is called.', '9fac2ceed9344f2bbfdd1fdacb0ed9b1'),
      dateCreated: text('When it was.', '2026-01-01T10:00:00Z'),
    }),
    call: 'GET /organizations/{organization}/issues/{issue}/events/',
    pages: byLink(),
  }),
  idempotentWrite('create_release', 'Tells of a release; one that is there already stays.', {
    required: {
      ...ORGANIZATION,
      version: filledText('What the release is called.', 'shop@1.2.3'),
      projects: list({ type: 'string' }, 'Their names in links.', ['shop'], { minItems: 1 }),
    },
    optional: {
      ref: text('Which one it is made of.', '6ba09a7c53235ee8a8fa5ee4c1ca8ca886e7fdbb'),
      url: text('To what it brings.', 'https://example.com/releases/1.2.3'),
    },
    output: outputOf({ version: text('What the release is called.', 'shop@1.2.3') }),
    call: 'POST /organizations/{organization}/releases/',
  }),
];

const HOME = 'https://sentry.io';

export const sentry = defineConnector({
  name: 'sentry',
  title: 'Sentry',
  description: 'Errors of your programs, and releases.',
  category: 'Operations',
  docs: 'https://docs.sentry.io/api/',

  fields: [
    urlField('url', 'Address', 'Where Sentry runs, or the region of the organization.', 'https://de.sentry.io', {
      required: false,
      default: HOME,
    }),
    secretField('token', 'Auth token', 'Settings, Custom integrations or Personal tokens.', 'sntryu_0123456789abcdef'),
  ],
  base: (account) => `${siteOf(account, 'url', HOME)}/api/0`,
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('detail'), messageAt('detail', 'message'), fieldErrorsAt('')],
    code: codeAt('detail.code'),
    retryAfterMs: timeInHeader('x-sentry-rate-limit-reset'),
  }),
  probe: { action: 'list_organizations', input: { limit: 1 } },
  actions,
});
