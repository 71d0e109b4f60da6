import type { JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { urlPath } from '../http/path';
import { choice, list, text } from '../../schema';
import { ASSIGNEES, BODY, COMMENT, ISSUE, LABELS, NUMBER, REPOSITORY, TITLE } from './fields';
import { commaSeparated, pick, queryFrom } from '../input';
import { idempotentWrite, readAction, writeAction } from '../define';

const WRITTEN = ['title', 'body', 'labels', 'assignees'];
const issuesOf = ({ owner, repo }: JsonObject): string => urlPath`/repos/${owner}/${repo}/issues`;
const issueOf = ({ owner, repo, number }: JsonObject): string => urlPath`/repos/${owner}/${repo}/issues/${number}`;

export const issues: readonly HttpAction[] = [
  readAction('list_issues', 'Lists issues and pull requests of a repository, newest first.', {
    required: REPOSITORY,
    optional: {
      state: choice(['open', 'closed', 'all'], 'Filter.', { default: 'open' }),
      labels: list({ type: 'string' }, 'Only issues with all of these labels.', ['bug']),
      assignee: text('User name; `none`: unassigned; `*`: any user.', 'octocat'),
      since: text('Only items updated after this time.', '2026-01-01T00:00:00Z'),
    },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: issuesOf(input),
      query: { per_page: 100, ...queryFrom(input, 'state', 'assignee', 'since'), labels: commaSeparated(input.labels) },
    }),
    pages: byLink(),
  }),
  readAction('search_issues', 'Searches issues and pull requests of all repositories, best matches first.', {
    required: { q: text("Query in GitHub's search syntax.", 'repo:octocat/hello-world is:open blank') },
    optional: {
      sort: choice(['created', 'updated', 'comments'], 'Sort field. Default: best match.'),
      order: choice(['desc', 'asc'], 'Sort order.'),
    },
    item: ISSUE,
    call: 'GET /search/issues',
    query: { per_page: 100 },
    pages: byLink('items'),
  }),
  readAction('get_issue', 'Returns an issue.', {
    required: { ...REPOSITORY, number: NUMBER },
    output: ISSUE,
    request: (input) => ({ method: 'GET', url: issueOf(input) }),
  }),
  writeAction('create_issue', 'Creates an issue in a repository.', {
    required: { ...REPOSITORY, title: TITLE },
    optional: { body: BODY, labels: LABELS, assignees: ASSIGNEES },
    output: ISSUE,
    request: (input) => ({ method: 'POST', url: issuesOf(input), body: pick(input, ...WRITTEN) }),
  }),
  idempotentWrite('update_issue', 'Updates the given fields of an issue; lists are replaced.', {
    required: { ...REPOSITORY, number: NUMBER },
    optional: {
      title: TITLE,
      body: BODY,
      labels: LABELS,
      assignees: ASSIGNEES,
      state: choice(['open', 'closed'], 'Opens or closes the issue.'),
      state_reason: choice(['completed', 'not_planned', 'reopened'], 'Reason for the state change.'),
    },
    output: ISSUE,
    request: (input) => ({
      method: 'PATCH',
      url: issueOf(input),
      body: pick(input, ...WRITTEN, 'state', 'state_reason'),
    }),
  }),
  writeAction('comment', 'Adds a comment to an issue or pull request.', {
    required: { ...REPOSITORY, number: NUMBER, body: BODY },
    output: COMMENT,
    request: (input) => ({ method: 'POST', url: `${issueOf(input)}/comments`, body: pick(input, 'body') }),
  }),
];
