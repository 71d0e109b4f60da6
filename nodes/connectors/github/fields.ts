import { anyId, filledText, flag, integer, list, outputOf, text } from '../../schema';

export const REPOSITORY = {
  owner: filledText('The account or organization that the repository belongs to.', 'octocat'),
  repo: filledText('Its name, without the owner.', 'hello-world'),
};

export const NUMBER = integer('Of the issue or pull request in its repository.', 1347, { minimum: 1 });
export const TITLE = filledText('What it is about, in one line.', 'The login page is blank');
export const BODY = text('In Markdown.', 'It is blank since **yesterday**.');
export const LABELS = list({ type: 'string' }, 'Names of labels.', ['bug']);
export const ASSIGNEES = list({ type: 'string' }, 'Names of accounts.', ['octocat']);

export const USER = outputOf({
  login: text('The name of the account.', 'octocat'),
  id: integer('The number of the account.', 1),
  html_url: text('Where people see it.', 'https://github.com/octocat'),
});

export const ISSUE = outputOf({
  id: integer('Of all of GitHub.', 1),
  number: NUMBER,
  title: TITLE,
  state: text('`open` or `closed`.', 'open'),
  html_url: text('Where people see it.', 'https://github.com/octocat/hello-world/issues/1347'),
  labels: list({ type: 'object' }, 'Each with its `name`.', [{ name: 'bug' }]),
});

export const COMMENT = outputOf({
  id: integer('Of the comment.', 1),
  html_url: text('Where people see it.', 'https://github.com/octocat/hello-world/issues/1347#issuecomment-1'),
  body: BODY,
});

export const PULL_REQUEST = outputOf({
  id: integer('Of all of GitHub.', 1),
  number: NUMBER,
  title: TITLE,
  state: text('`open` or `closed`.', 'open'),
  draft: flag('Whether it is not ready for review.'),
  html_url: text('Where people see it.', 'https://github.com/octocat/hello-world/pull/1347'),
});

export const WORKFLOW = anyId('The name of its file, or its number.', 'deploy.yml');
