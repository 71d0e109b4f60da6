import { bearer } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byLink } from '../http/pages';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, fieldErrorsAt, timeInHeader, faultFrom } from '../http/error-text';
import { anyId, choice, filledText, list, outputOf, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { defineConnector, idempotentWrite, readAction } from '../define';

const ORGANIZATION = { organization: filledText('Slug.', 'acme') };
const ISSUE_ID = { issue: anyId('ID of the issue.', '1170820242') };
const NAMED = outputOf({
  id: text('ID of the resource.', '2'),
  slug: text('Slug for the other actions.', 'acme'),
  name: text('Display name.', 'Acme'),
});
const ISSUE = outputOf({
  id: text('ID of the issue.', '1170820242'),
  shortId: text('Key of the issue.', 'SHOP-3'),
  title: text('Title of the issue.', 'TypeError: x is not a function'),
  status: text('Status, such as `unresolved`.', 'unresolved'),
  permalink: text('URL of the page in the web app.', 'https://acme.sentry.io/issues/1170820242/'),
});

const actions: readonly HttpAction[] = [
  readAction('list_organizations', 'Lists organizations that the token can access.', {
    item: NAMED,
    call: 'GET /organizations/',
    pages: byLink(),
  }),
  readAction('list_projects', 'Lists projects of an organization.', {
    required: ORGANIZATION,
    item: NAMED,
    call: 'GET /organizations/{organization}/projects/',
    pages: byLink(),
  }),
  readAction('list_issues', 'Lists issues of an organization.', {
    required: ORGANIZATION,
    optional: {
      project: list({ type: 'integer' }, 'IDs of projects. Default: all.', [4_504_044_639_748_096]),
      query: text("Query in Sentry's search syntax.", 'is:unresolved level:error'),
      sort: choice(['date', 'new', 'trends', 'freq', 'user'], 'Sort field.'),
      statsPeriod: text('Time range.', '14d'),
      environment: text('Name of the field.', 'production'),
    },
    item: ISSUE,
    call: 'GET /organizations/{organization}/issues/',
    query: { limit: 100 },
    pages: byLink(),
  }),
  readAction('get_issue', 'Returns an issue.', {
    required: { ...ORGANIZATION, ...ISSUE_ID },
    output: ISSUE,
    call: 'GET /organizations/{organization}/issues/{issue}/',
  }),
  idempotentWrite('update_issue', 'Resolves, ignores or assigns an issue.', {
    required: { ...ORGANIZATION, ...ISSUE_ID },
    optional: {
      status: choice(['resolved', 'resolvedInNextRelease', 'unresolved', 'ignored'], 'Status of the incident.'),
      assignedTo: text('User name, or `user:` or `team:` and an ID.', 'ada@example.com'),
    },
    output: ISSUE,
    call: 'PUT /organizations/{organization}/issues/{issue}/',
  }),
  readAction('list_events', 'Lists events of an issue.', {
    required: { ...ORGANIZATION, ...ISSUE_ID },
    item: outputOf({
      eventID: text('Name or URI.', '9fac2ceed9344f2bbfdd1fdacb0ed9b1'),
      dateCreated: text('Time of the event.', '2026-01-01T10:00:00Z'),
    }),
    call: 'GET /organizations/{organization}/issues/{issue}/events/',
    pages: byLink(),
  }),
  idempotentWrite('create_release', 'Creates a release; an existing one is unchanged.', {
    required: {
      ...ORGANIZATION,
      version: filledText('Version of the release.', 'shop@1.2.3'),
      projects: list({ type: 'string' }, 'Slugs of projects.', ['shop'], { minItems: 1 }),
    },
    optional: {
      ref: text('Commit of the release.', '6ba09a7c53235ee8a8fa5ee4c1ca8ca886e7fdbb'),
      url: text('URL of the release.', 'https://example.com/releases/1.2.3'),
    },
    output: outputOf({ version: text('Version of the release.', 'shop@1.2.3') }),
    call: 'POST /organizations/{organization}/releases/',
  }),
];

const HOME = 'https://sentry.io';

export const sentry = defineConnector({
  name: 'sentry',
  title: 'Sentry',
  description: 'Manage error issues and releases.',
  category: 'Operations',
  docs: 'https://docs.sentry.io/api/',

  fields: [
    urlField('url', 'Address', "Address of Sentry, or of the organization's region.", 'https://de.sentry.io', {
      required: false,
      default: HOME,
    }),
    secretField('token', 'Auth token', 'Settings > Custom Integrations or Personal Tokens.', 'sntryu_0123456789abcdef'),
  ],
  base: (account) => `${baseUrlFrom(account, 'url', HOME)}/api/0`,
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('detail'), messageAt('detail', 'message'), fieldErrorsAt('')],
    code: codeAt('detail.code'),
    retryAfterMs: timeInHeader('x-sentry-rate-limit-reset'),
  }),
  connectionTest: { action: 'list_organizations', input: { limit: 1 } },
  actions,
});
