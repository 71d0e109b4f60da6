import type { JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { ask, asks, commas, does, settles, pick } from '../define';
import { byLink } from '../http/pages';
import { at } from '../http/path';
import { choice, list, text } from '../schemas';
import { ASSIGNEES, BODY, COMMENT, ISSUE, LABELS, NUMBER, REPOSITORY, TITLE } from './fields';

const WRITTEN = ['title', 'body', 'labels', 'assignees'];
const issuesOf = ({ owner, repo }: JsonObject): string => at`/repos/${owner}/${repo}/issues`;
const issueOf = ({ owner, repo, number }: JsonObject): string => at`/repos/${owner}/${repo}/issues/${number}`;

export const issues: readonly HttpAction[] = [
  asks('list_issues', 'List issues', 'Issues of a repository, newest first. Pull requests are among them.', {
    needs: REPOSITORY,
    may: {
      state: choice(['open', 'closed', 'all'], 'State', 'Which ones.', { default: 'open' }),
      labels: list({ type: 'string' }, 'Labels', 'Those that have all of them.', ['bug']),
      assignee: text('Assignee', 'The name of an account; `none` for no one, `*` for anyone.', 'octocat'),
      since: text('Since', 'Those that have changed since then.', '2026-01-01T00:00:00Z'),
    },
    item: ISSUE,
    request: (input) => ({
      method: 'GET',
      url: issuesOf(input),
      query: { per_page: 100, ...ask(input, 'state', 'assignee', 'since'), labels: commas(input.labels) },
    }),
    pages: byLink(),
  }),
  asks('search_issues', 'Search issues', 'Issues and pull requests of any repository, best matches first.', {
    needs: { q: text('Query', 'In the words of the search on GitHub.', 'repo:octocat/hello-world is:open blank') },
    may: {
      sort: choice(['created', 'updated', 'comments'], 'Order', 'Instead of the best match.'),
      order: choice(['desc', 'asc'], 'Direction', 'Most first, or least.'),
    },
    item: ISSUE,
    call: 'GET /search/issues',
    query: { per_page: 100 },
    pages: byLink('items'),
  }),
  asks('get_issue', 'Get an issue', 'One issue with its text, state and labels.', {
    needs: { ...REPOSITORY, number: NUMBER },
    output: ISSUE,
    request: (input) => ({ method: 'GET', url: issueOf(input) }),
  }),
  does('create_issue', 'Create an issue', 'Opens an issue in a repository.', {
    needs: { ...REPOSITORY, title: TITLE },
    may: { body: BODY, labels: LABELS, assignees: ASSIGNEES },
    output: ISSUE,
    request: (input) => ({ method: 'POST', url: issuesOf(input), body: pick(input, ...WRITTEN) }),
  }),
  settles('update_issue', 'Change an issue', 'Changes what is given of an issue; lists are replaced as a whole.', {
    needs: { ...REPOSITORY, number: NUMBER },
    may: {
      title: TITLE,
      body: BODY,
      labels: LABELS,
      assignees: ASSIGNEES,
      state: choice(['open', 'closed'], 'State', 'Opens it again, or closes it.'),
      state_reason: choice(['completed', 'not_planned', 'reopened'], 'Reason', 'Why the state changes.'),
    },
    output: ISSUE,
    request: (input) => ({
      method: 'PATCH',
      url: issueOf(input),
      body: pick(input, ...WRITTEN, 'state', 'state_reason'),
    }),
  }),
  does('comment', 'Comment', 'Writes below an issue or a pull request.', {
    needs: { ...REPOSITORY, number: NUMBER, body: BODY },
    output: COMMENT,
    request: (input) => ({ method: 'POST', url: `${issueOf(input)}/comments`, body: pick(input, 'body') }),
  }),
];
