import type { HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { urlPath, pathSegments } from '../http/path';
import { choice, filledText, flag, integer, outputOf, record, text } from '../../schema';
import { BODY, PULL_REQUEST, REPOSITORY, TITLE, USER, WORKFLOW } from './fields';
import { queryFrom } from '../input';
import { NO_OUTPUT, readAction, writeAction } from '../define';

const HEAD = text('The branch with the changes; of another account as `name:branch`.', 'new-login');
const BASE = text('The branch that is to get them.', 'main');

export const repositories: readonly HttpAction[] = [
  readAction('get_me', 'The account that the connection acts for.', { output: USER, call: 'GET /user' }),
  readAction('get_file', 'A file of a repository, its content in base64.', {
    required: { ...REPOSITORY, path: filledText('Of the file in the repository.', 'docs/guide.md') },
    optional: { ref: text('A branch, tag or commit; the default branch where it is left out.', 'main') },
    output: outputOf({
      path: text('Of the file.', 'docs/guide.md'),
      sha: text('Of its content.', '3d21ec53a331a6f037a91c368710b99387d012c1'),
      size: integer('In bytes.', 5362),
      content: text('In base64, with line breaks.', 'SGVsbG8='),
    }),
    request: (input) => ({
      method: 'GET',
      url: urlPath`/repos/${input.owner}/${input.repo}/contents/${pathSegments(input.path)}`,
      query: queryFrom(input, 'ref'),
    }),
  }),
  readAction('list_pull_requests', 'Pull requests of a repository, newest first.', {
    required: REPOSITORY,
    optional: {
      state: choice(['open', 'closed', 'all'], 'Which ones.', { default: 'open' }),
      head: HEAD,
      base: BASE,
    },
    item: PULL_REQUEST,
    call: 'GET /repos/{owner}/{repo}/pulls',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  writeAction('create_pull_request', 'Asks for the changes of one branch to go into another.', {
    required: { ...REPOSITORY, title: TITLE, head: HEAD, base: BASE },
    optional: { body: BODY, draft: flag('Not ready for review yet.', { default: false }) },
    output: PULL_REQUEST,
    call: 'POST /repos/{owner}/{repo}/pulls',
  }),
  writeAction('run_workflow', 'Starts a workflow of GitHub Actions that has a `workflow_dispatch` trigger.', {
    required: { ...REPOSITORY, workflow: WORKFLOW, ref: text('The branch or tag it runs on.', 'main') },
    optional: { inputs: record('What the workflow asks for.', { environment: 'staging' }) },
    ...NO_OUTPUT,
    call: 'POST /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches',
  }),
];
