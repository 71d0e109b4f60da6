import type { HttpAction } from '../contract';
import { ask, asks, does, nothing, NOTHING } from '../define';
import { byLink } from '../http/pages';
import { at, segments } from '../http/path';
import { choice, flag, integer, outputOf, record, text } from '../schemas';
import { BODY, PULL_REQUEST, REPOSITORY, TITLE, USER, WORKFLOW } from './fields';

const HEAD = text('From', 'The branch with the changes; of another account as `name:branch`.', 'new-login');
const BASE = text('Into', 'The branch that is to get them.', 'main');

export const repositories: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The account that the connection acts for.', { output: USER, call: 'GET /user' }),
  asks('get_file', 'Get a file', 'A file of a repository, its content in base64.', {
    needs: { ...REPOSITORY, path: text('Path', 'Of the file in the repository.', 'docs/guide.md', { minLength: 1 }) },
    may: { ref: text('Ref', 'A branch, tag or commit; the default branch where it is left out.', 'main') },
    output: outputOf({
      path: text('Path', 'Of the file.', 'docs/guide.md'),
      sha: text('SHA', 'Of its content.', '3d21ec53a331a6f037a91c368710b99387d012c1'),
      size: integer('Size', 'In bytes.', 5362),
      content: text('Content', 'In base64, with line breaks.', 'SGVsbG8='),
    }),
    request: (input) => ({
      method: 'GET',
      url: at`/repos/${input.owner}/${input.repo}/contents/${segments(input.path)}`,
      query: ask(input, 'ref'),
    }),
  }),
  asks('list_pull_requests', 'List pull requests', 'Pull requests of a repository, newest first.', {
    needs: REPOSITORY,
    may: {
      state: choice(['open', 'closed', 'all'], 'State', 'Which ones.', { default: 'open' }),
      head: HEAD,
      base: BASE,
    },
    item: PULL_REQUEST,
    call: 'GET /repos/{owner}/{repo}/pulls',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  does('create_pull_request', 'Create a pull request', 'Asks for the changes of one branch to go into another.', {
    needs: { ...REPOSITORY, title: TITLE, head: HEAD, base: BASE },
    may: { body: BODY, draft: flag('Draft', 'Not ready for review yet.', { default: false }) },
    output: PULL_REQUEST,
    call: 'POST /repos/{owner}/{repo}/pulls',
  }),
  does(
    'run_workflow',
    'Run a workflow',
    'Starts a workflow of GitHub Actions that has a `workflow_dispatch` trigger.',
    {
      needs: { ...REPOSITORY, workflow: WORKFLOW, ref: text('Ref', 'The branch or tag it runs on.', 'main') },
      may: { inputs: record('Inputs', 'What the workflow asks for.', { environment: 'staging' }) },
      output: NOTHING,
      call: 'POST /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches',
      read: nothing,
    },
  ),
];
