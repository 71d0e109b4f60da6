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
  readAction('list_issues', 'Issues of a repository, newest first. Pull requests are among them.', {
    required: REPOSITORY,
    optional: {
      state: choice(['open', 'closed', 'all'], 'Which ones.', { default: 'open' }),
      labels: list({ type: 'string' }, 'Those that have all of them.', ['bug']),
      assignee: text('The name of an account; `none` for no one, `*` for anyone.', 'octocat'),
      since: text('Those that have changed since then.', '2026-01-01T00:00:00Z'),
    },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: issuesOf(input),
      query: { per_page: 100, ...queryFrom(input, 'state', 'assignee', 'since'), labels: commaSeparated(input.labels) },
    }),
    pages: byLink(),
  }),
  readAction('search_issues', 'Issues and pull requests of any repository, best matches first.', {
    required: { q: text('In the words of the search on GitHub.', 'repo:octocat/hello-world is:open blank') },
    optional: {
      sort: choice(['created', 'updated', 'comments'], 'Instead of the best match.'),
      order: choice(['desc', 'asc'], 'Most first, or least.'),
    },
    item: ISSUE,
    call: 'GET /search/issues',
    query: { per_page: 100 },
    pages: byLink('items'),
  }),
  readAction('get_issue', 'One issue with its text, state and labels.', {
    required: { ...REPOSITORY, number: NUMBER },
    output: ISSUE,
    request: (input) => ({ method: 'GET', url: issueOf(input) }),
  }),
  writeAction('create_issue', 'Opens an issue in a repository.', {
    required: { ...REPOSITORY, title: TITLE },
    optional: { body: BODY, labels: LABELS, assignees: ASSIGNEES },
    output: ISSUE,
    request: (input) => ({ method: 'POST', url: issuesOf(input), body: pick(input, ...WRITTEN) }),
  }),
  idempotentWrite('update_issue', 'Changes what is given of an issue; lists are replaced as a whole.', {
    required: { ...REPOSITORY, number: NUMBER },
    optional: {
      title: TITLE,
      body: BODY,
      labels: LABELS,
      assignees: ASSIGNEES,
      state: choice(['open', 'closed'], 'Opens it again, or closes it.'),
      state_reason: choice(['completed', 'not_planned', 'reopened'], 'Why the state changes.'),
    },
    output: ISSUE,
    request: (input) => ({
      method: 'PATCH',
      url: issueOf(input),
      body: pick(input, ...WRITTEN, 'state', 'state_reason'),
    }),
  }),
  writeAction('comment', 'Writes below an issue or a pull request.', {
    required: { ...REPOSITORY, number: NUMBER, body: BODY },
    output: COMMENT,
    request: (input) => ({ method: 'POST', url: `${issueOf(input)}/comments`, body: pick(input, 'body') }),
  }),
];
