import { bearer } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, hidden, settles, site } from '../define';
import { messageAt } from '../http/fault';
import { byLink } from '../http/pages';
import { siteOf } from '../http/site';
import { codeAt, fieldsAt, untilIn, worded } from '../http/error-text';
import { choice, idOf, list, outputOf, text } from '../schemas';

const ORGANIZATION = { organization: text('Organization', 'Its name in links.', 'acme', { minLength: 1 }) };
const ISSUE_ID = { issue: idOf('Issue', 'Its id.', '1170820242') };
const NAMED = outputOf({
  id: text('Id', 'Of the thing.', '2'),
  slug: text('Name in links', 'What other actions call it.', 'acme'),
  name: text('Name', 'As people read it.', 'Acme'),
});
const ISSUE = outputOf({
  id: text('Id', 'Of the issue.', '1170820242'),
  shortId: text('Key', 'As people call it.', 'SHOP-3'),
  title: text('Title', 'What went wrong.', 'TypeError: x is not a function'),
  status: text('Status', 'Such as `unresolved`.', 'unresolved'),
  permalink: text('Page', 'Where people see it.', 'https://acme.sentry.io/issues/1170820242/'),
});

const actions: readonly HttpAction[] = [
  asks('list_organizations', 'List organizations', 'Organizations that the token sees.', {
    item: NAMED,
    call: 'GET /organizations/',
    pages: byLink(),
  }),
  asks('list_projects', 'List projects', 'Projects of an organization.', {
    needs: ORGANIZATION,
    item: NAMED,
    call: 'GET /organizations/{organization}/projects/',
    pages: byLink(),
  }),
  asks('list_issues', 'List issues', 'Issues of an organization.', {
    needs: ORGANIZATION,
    may: {
      project: list(
        { type: 'integer' },
        'Projects',
        'Ids of projects; all where it is left out.',
        [4_504_044_639_748_096],
      ),
      query: text('Search', 'In the words of the search of Sentry.', 'is:unresolved level:error'),
      sort: choice(['date', 'new', 'trends', 'freq', 'user'], 'Order', 'By what.'),
      statsPeriod: text('Period', 'How far back.', '14d'),
      environment: text('Environment', 'Its name.', 'production'),
    },
    item: ISSUE,
    call: 'GET /organizations/{organization}/issues/',
    query: { limit: 100 },
    pages: byLink(),
  }),
  asks('get_issue', 'Get an issue', 'One issue.', {
    needs: { ...ORGANIZATION, ...ISSUE_ID },
    output: ISSUE,
    call: 'GET /organizations/{organization}/issues/{issue}/',
  }),
  settles('update_issue', 'Change an issue', 'Resolves, ignores or assigns an issue.', {
    needs: { ...ORGANIZATION, ...ISSUE_ID },
    may: {
      status: choice(['resolved', 'resolvedInNextRelease', 'unresolved', 'ignored'], 'Status', 'How it stands.'),
      assignedTo: text('Assignee', 'A user name, or `user:` or `team:` and an id.', 'ada@example.com'),
    },
    output: ISSUE,
    call: 'PUT /organizations/{organization}/issues/{issue}/',
  }),
  asks('list_events', 'List events', 'Each time that an issue came up.', {
    needs: { ...ORGANIZATION, ...ISSUE_ID },
    item: outputOf({
      eventID: text('Event', 'What it is called.', '9fac2ceed9344f2bbfdd1fdacb0ed9b1'),
      dateCreated: text('At', 'When it was.', '2026-01-01T10:00:00Z'),
    }),
    call: 'GET /organizations/{organization}/issues/{issue}/events/',
    pages: byLink(),
  }),
  settles('create_release', 'Create a release', 'Tells of a release; one that is there already stays.', {
    needs: {
      ...ORGANIZATION,
      version: text('Version', 'What the release is called.', 'shop@1.2.3', { minLength: 1 }),
      projects: list({ type: 'string' }, 'Projects', 'Their names in links.', ['shop'], { minItems: 1 }),
    },
    may: {
      ref: text('Commit', 'Which one it is made of.', '6ba09a7c53235ee8a8fa5ee4c1ca8ca886e7fdbb'),
      url: text('Link', 'To what it brings.', 'https://example.com/releases/1.2.3'),
    },
    output: outputOf({ version: text('Version', 'What the release is called.', 'shop@1.2.3') }),
    call: 'POST /organizations/{organization}/releases/',
  }),
];

const HOME = 'https://sentry.io';

export const sentry: Connector = {
  name: 'sentry',
  title: 'Sentry',
  description: 'Errors of your programs, and releases.',
  category: 'Operations',
  docs: 'https://docs.sentry.io/api/',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Where Sentry runs, or the region of the organization.', 'https://de.sentry.io', {
        required: false,
        default: HOME,
      }),
      hidden('token', 'Auth token', 'Settings, Custom integrations or Personal tokens.', 'sntryu_0123456789abcdef'),
    ],
  },
  base: (account) => `${siteOf(account, 'url', HOME)}/api/0`,
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('detail'), messageAt('detail', 'message'), fieldsAt('')],
    code: codeAt('detail.code'),
    wait: untilIn('x-sentry-rate-limit-reset'),
  }),
  probe: { action: 'list_organizations', input: { limit: 1 } },
  actions,
};
