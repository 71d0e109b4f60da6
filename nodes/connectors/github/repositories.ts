import type { HttpAction } from '../contract';
import { byLink } from '../http/pages';
import { urlPath, pathSegments } from '../http/path';
import { choice, filledText, flag, integer, outputOf, record, text } from '../../schema';
import { BODY, PULL_REQUEST, REPOSITORY, TITLE, USER, WORKFLOW } from './fields';
import { queryFrom } from '../input';
import { NO_OUTPUT, readAction, writeAction } from '../define';

const HEAD = text('Branch with the changes; of another account: `name:branch`.', 'new-login');
const BASE = text('Branch to merge into.', 'main');

export const repositories: readonly HttpAction[] = [
  readAction('get_me', 'Returns the account of the connection.', { output: USER, call: 'GET /user' }),
  readAction('get_file', 'Returns a file of a repository with its content in base64.', {
    required: { ...REPOSITORY, path: filledText('Path of the file in the repository.', 'docs/guide.md') },
    optional: { ref: text('Branch, tag or commit. Default: the default branch.', 'main') },
    output: outputOf({
      path: text('Path of the file.', 'docs/guide.md'),
      sha: text('SHA of the content.', '3d21ec53a331a6f037a91c368710b99387d012c1'),
      size: integer('Size in bytes.', 5362),
      content: text('Content in base64, with line breaks.', 'SGVsbG8='),
    }),
    request: (input) => ({
      method: 'GET',
      url: urlPath`/repos/${input.owner}/${input.repo}/contents/${pathSegments(input.path)}`,
      query: queryFrom(input, 'ref'),
    }),
  }),
  readAction('list_pull_requests', 'Lists pull requests of a repository, newest first.', {
    required: REPOSITORY,
    optional: { state: choice(['open', 'closed', 'all'], 'Filter.', { default: 'open' }), head: HEAD, base: BASE },
    item: PULL_REQUEST,
    call: 'GET /repos/{owner}/{repo}/pulls',
    query: { per_page: 100 },
    pages: byLink(),
  }),
  writeAction('create_pull_request', 'Creates a request to merge one branch into another.', {
    required: { ...REPOSITORY, title: TITLE, head: HEAD, base: BASE },
    optional: { body: BODY, draft: flag('Creates it as a draft.', { default: false }) },
    output: PULL_REQUEST,
    call: 'POST /repos/{owner}/{repo}/pulls',
  }),
  writeAction('run_workflow', 'Runs a GitHub Actions workflow that has a `workflow_dispatch` trigger.', {
    required: { ...REPOSITORY, workflow: WORKFLOW, ref: text('Branch or tag to run on.', 'main') },
    optional: { inputs: record('Inputs of the workflow.', { environment: 'staging' }) },
    ...NO_OUTPUT,
    call: 'POST /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches',
  }),
];
