import type { JsonObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, ConnectorRequest, HttpAction } from '../contract';
import { asks, does, hidden, pick, settles } from '../define';
import { messageAt } from '../http/fault';
import { byMark } from '../http/pages';
import { inside } from '../http/read';
import { codeAt, secondsAt, worded } from '../http/error-text';
import { flag, integer, outputOf, record, text } from '../schemas';

const call = (url: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url, body });

const PATH = text('Path', 'From the root, beginning with a slash; or `id:` and an id.', '/Invoices/4711.pdf', {
  minLength: 1,
});
const ENTRY = outputOf({
  '.tag': text('Kind', '`file`, `folder` or `deleted`.', 'file'),
  id: text('Id', 'Of the file or folder.', 'id:a4ayc_80_OEAAAAAAAAAXw'),
  name: text('Name', 'The last part of the path.', '4711.pdf'),
  path_display: text('Path', 'As people see it.', '/Invoices/4711.pdf'),
  size: integer('Size', 'Of a file, in bytes.', 7212),
});
const MOVED = {
  from_path: { ...PATH, title: 'From' },
  to_path: text('To', 'The new path, with the name.', '/Paid/4711.pdf', { minLength: 1 }),
};
const AUTORENAME = flag('Another name', 'Takes another name where that one is taken.', { default: false });

/** Pages after the first are asked of another method, by the cursor alone. */
const pagesOf = (items: string, next: string) =>
  byMark({ items, cursor: 'cursor', more: 'has_more' }, (_request, cursor) => call(next, { cursor }));

const actions: readonly HttpAction[] = [
  asks('get_me', 'Get my account', 'The account that the connection acts for.', {
    output: outputOf({
      account_id: text('Id', 'Of the account.', 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'),
      email: text('E-mail address', 'Of the account.', 'ada@example.com'),
      name: record('Name', 'Parts of it, with `display_name`.', { display_name: 'Ada Lovelace' }),
    }),
    // A method without arguments takes no body at all.
    call: 'POST /users/get_current_account',
  }),
  asks('list_folder', 'List a folder', 'Files and folders in a folder.', {
    needs: { path: text('Path', 'Of the folder; empty for the root.', '/Invoices') },
    may: { recursive: flag('With all below', 'What is in folders of the folder as well.', { default: false }) },
    item: ENTRY,
    request: (input) => call('/files/list_folder', pick(input, 'path', 'recursive')),
    pages: pagesOf('entries', '/files/list_folder/continue'),
  }),
  asks('search', 'Search', 'Files and folders whose names, or texts, hold words.', {
    needs: { query: text('Words', 'What to look for.', 'invoice 4711', { minLength: 1 }) },
    may: { path: text('Below', 'The path of a folder; everywhere where it is left out.', '/Invoices') },
    item: outputOf({ metadata: record('What was found', 'A file or folder under `metadata`.') }),
    request: ({ query, ...input }) =>
      call('/files/search_v2', { query: query ?? null, options: { max_results: 100, ...pick(input, 'path') } }),
    pages: pagesOf('matches', '/files/search/continue_v2'),
  }),
  asks('get_link', 'Get a link to download', 'A link to the content of a file, which counts for four hours.', {
    needs: { path: PATH },
    output: outputOf({
      link: text('Link', 'To the content.', 'https://ucabc123456.dl.dropboxusercontent.com/cd/0/get/abc'),
      metadata: record('File', 'What is known of it.', { name: '4711.pdf' }),
    }),
    request: (input) => call('/files/get_temporary_link', pick(input, 'path')),
  }),
  does('save_url', 'Save from the web', 'Has Dropbox fetch a file from a public URL; big ones take a while.', {
    needs: { path: PATH, url: text('URL', 'Of the file.', 'https://example.com/4711.pdf', { minLength: 1 }) },
    output: outputOf({
      '.tag': text('State', '`complete`, or `async_job_id` while it goes on.', 'complete'),
      async_job_id: text('Job', 'What fetches it, while it goes on.', '34g93hh34h04y384084'),
    }),
    request: (input) => call('/files/save_url', pick(input, 'path', 'url')),
  }),
  does('create_folder', 'Create a folder', 'Makes a folder.', {
    needs: { path: { ...PATH, description: 'The new path, with the name.' } },
    may: { autorename: AUTORENAME },
    output: ENTRY,
    request: (input) => call('/files/create_folder_v2', pick(input, 'path', 'autorename')),
    read: inside('metadata'),
  }),
  does('move', 'Move', 'Moves a file or folder, or gives it another name.', {
    needs: MOVED,
    may: { autorename: AUTORENAME },
    output: ENTRY,
    request: (input) => call('/files/move_v2', pick(input, 'from_path', 'to_path', 'autorename')),
    read: inside('metadata'),
  }),
  does('share', 'Share', 'Makes a link to a file or folder that others can use.', {
    needs: { path: PATH },
    output: outputOf({ url: text('Link', 'For others.', 'https://www.dropbox.com/scl/fi/abc/4711.pdf') }),
    request: (input) => call('/sharing/create_shared_link_with_settings', pick(input, 'path')),
  }),
  settles('delete', 'Delete', 'Takes a file, or a folder with all in it, away. It can be brought back in Dropbox.', {
    needs: { path: PATH },
    output: ENTRY,
    request: (input) => call('/files/delete_v2', pick(input, 'path')),
    read: inside('metadata'),
  }),
];

export const dropbox: Connector = {
  name: 'dropbox',
  title: 'Dropbox',
  description: 'Files and folders: list, search, take from the web, share, move, delete.',
  category: 'Storage',
  docs: 'https://www.dropbox.com/developers/documentation/http/documentation',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'Access token',
        'Of an app of yours: App Console. Tokens made there end after hours.',
        'sl.u.0123456789abcdef',
      ),
    ],
  },
  base: () => 'https://api.dropboxapi.com/2',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('error_summary')],
    code: codeAt('error[".tag"]'),
    wait: secondsAt('error.retry_after'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
