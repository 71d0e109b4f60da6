import { flag, idOf, integer, list, outputOf, text } from '../schemas';

export const REPOSITORY = {
  owner: text('Owner', 'The account or organization that the repository belongs to.', 'octocat', { minLength: 1 }),
  repo: text('Repository', 'Its name, without the owner.', 'hello-world', { minLength: 1 }),
};

export const NUMBER = integer('Number', 'Of the issue or pull request in its repository.', 1347, { minimum: 1 });
export const TITLE = text('Title', 'What it is about, in one line.', 'The login page is blank', { minLength: 1 });
export const BODY = text('Text', 'In Markdown.', 'It is blank since **yesterday**.');
export const LABELS = list({ type: 'string' }, 'Labels', 'Names of labels.', ['bug']);
export const ASSIGNEES = list({ type: 'string' }, 'Assignees', 'Names of accounts.', ['octocat']);

export const USER = outputOf({
  login: text('Login', 'The name of the account.', 'octocat'),
  id: integer('Id', 'The number of the account.', 1),
  html_url: text('Page', 'Where people see it.', 'https://github.com/octocat'),
});

export const ISSUE = outputOf({
  id: integer('Id', 'Of all of GitHub.', 1),
  number: NUMBER,
  title: TITLE,
  state: text('State', '`open` or `closed`.', 'open'),
  html_url: text('Page', 'Where people see it.', 'https://github.com/octocat/hello-world/issues/1347'),
  labels: list({ type: 'object' }, 'Labels', 'Each with its `name`.', [{ name: 'bug' }]),
});

export const COMMENT = outputOf({
  id: integer('Id', 'Of the comment.', 1),
  html_url: text('Page', 'Where people see it.', 'https://github.com/octocat/hello-world/issues/1347#issuecomment-1'),
  body: BODY,
});

export const PULL_REQUEST = outputOf({
  id: integer('Id', 'Of all of GitHub.', 1),
  number: NUMBER,
  title: TITLE,
  state: text('State', '`open` or `closed`.', 'open'),
  draft: flag('Draft', 'Whether it is not ready for review.'),
  html_url: text('Page', 'Where people see it.', 'https://github.com/octocat/hello-world/pull/1347'),
});

export const WORKFLOW = idOf('Workflow', 'The name of its file, or its number.', 'deploy.yml');
