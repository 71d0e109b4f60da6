import { anyId, filledText, flag, integer, list, outputOf, text } from '../../schema';

export const REPOSITORY = {
  owner: filledText('Account or organization that owns the repository.', 'octocat'),
  repo: filledText('Name of the repository without the owner.', 'hello-world'),
};

export const NUMBER = integer('Number of the issue or pull request.', 1347, { minimum: 1 });
export const TITLE = filledText('Subject or title.', 'The login page is blank');
export const BODY = text('Text in Markdown.', 'It is blank since **yesterday**.');
export const LABELS = list({ type: 'string' }, 'Names of labels.', ['bug']);
export const ASSIGNEES = list({ type: 'string' }, 'User names of the assignees.', ['octocat']);

export const USER = outputOf({
  login: text('User name.', 'octocat'),
  id: integer('ID of the account.', 1),
  html_url: text('URL of the page in the web app.', 'https://github.com/octocat'),
});

export const ISSUE = outputOf({
  id: integer('ID, unique on GitHub.', 1),
  number: NUMBER,
  title: TITLE,
  state: text('`open` or `closed`.', 'open'),
  html_url: text('URL of the page in the web app.', 'https://github.com/octocat/hello-world/issues/1347'),
  labels: list({ type: 'object' }, 'Labels, each with a `name`.', [{ name: 'bug' }]),
});

export const COMMENT = outputOf({
  id: integer('ID of the comment.', 1),
  html_url: text(
    'URL of the page in the web app.',
    'https://github.com/octocat/hello-world/issues/1347#issuecomment-1',
  ),
  body: BODY,
});

export const PULL_REQUEST = outputOf({
  id: integer('ID, unique on GitHub.', 1),
  number: NUMBER,
  title: TITLE,
  state: text('`open` or `closed`.', 'open'),
  draft: flag('Whether it is a draft.'),
  html_url: text('URL of the page in the web app.', 'https://github.com/octocat/hello-world/pull/1347'),
});

export const WORKFLOW = anyId('File name or ID of the workflow.', 'deploy.yml');
