import type { JsonObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { Connector, ConnectorRequest, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byMark } from '../http/pages';
import { outputAt } from '../http/read';
import { codeAt, secondsInBody, faultFrom } from '../http/error-text';
import { filledText, flag, integer, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const call = (url: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url, body });

const PATH = filledText('From the root, beginning with a slash; or `id:` and an id.', '/Invoices/4711.pdf');
const ENTRY = outputOf({
  '.tag': text('`file`, `folder` or `deleted`.', 'file'),
  id: text('Of the file or folder.', 'id:a4ayc_80_OEAAAAAAAAAXw'),
  name: text('The last part of the path.', '4711.pdf'),
  path_display: text('As people see it.', '/Invoices/4711.pdf'),
  size: integer('Of a file, in bytes.', 7212),
});
const MOVED = {
  from_path: { ...PATH, title: 'From' },
  to_path: filledText('The new path, with the name.', '/Paid/4711.pdf'),
};
const AUTORENAME = flag('Takes another name where that one is taken.', { default: false });

/** Pages after the first are asked of another method, by the cursor alone. */
const pagesOf = (items: string, next: string) =>
  byMark({ items, cursor: 'cursor', more: 'has_more' }, (_request, cursor) => call(next, { cursor }));

const actions: readonly HttpAction[] = [
  readAction('get_me', 'The account that the connection acts for.', {
    output: outputOf({
      account_id: text('Of the account.', 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'),
      email: text('Of the account.', 'ada@example.com'),
      name: record('Parts of it, with `display_name`.', { display_name: 'Ada Lovelace' }),
    }),
    // A method without arguments takes no body at all.
    call: 'POST /users/get_current_account',
  }),
  readAction('list_folder', 'Files and folders in a folder.', {
    required: { path: text('Of the folder; empty for the root.', '/Invoices') },
    optional: { recursive: flag('What is in folders of the folder as well.', { default: false }) },
    item: ENTRY,
    request: (input) => call('/files/list_folder', pick(input, 'path', 'recursive')),
    pages: pagesOf('entries', '/files/list_folder/continue'),
  }),
  readAction('search', 'Files and folders whose names, or texts, hold words.', {
    required: { query: filledText('What to look for.', 'invoice 4711') },
    optional: { path: text('The path of a folder; everywhere where it is left out.', '/Invoices') },
    item: outputOf({ metadata: record('A file or folder under `metadata`.') }),
    request: ({ query, ...input }) =>
      call('/files/search_v2', { query: query ?? null, options: { max_results: 100, ...pick(input, 'path') } }),
    pages: pagesOf('matches', '/files/search/continue_v2'),
  }),
  readAction('get_link', 'A link to the content of a file, which counts for four hours.', {
    required: { path: PATH },
    output: outputOf({
      link: text('To the content.', 'https://ucabc123456.dl.dropboxusercontent.com/cd/0/get/abc'),
      metadata: record('What is known of it.', { name: '4711.pdf' }),
    }),
    request: (input) => call('/files/get_temporary_link', pick(input, 'path')),
  }),
  writeAction('save_url', 'Has Dropbox fetch a file from a public URL; big ones take a while.', {
    required: { path: PATH, url: filledText('Of the file.', 'https://example.com/4711.pdf') },
    output: outputOf({
      '.tag': text('`complete`, or `async_job_id` while it goes on.', 'complete'),
      async_job_id: text('What fetches it, while it goes on.', '34g93hh34h04y384084'),
    }),
    request: (input) => call('/files/save_url', pick(input, 'path', 'url')),
  }),
  writeAction('create_folder', 'Makes a folder.', {
    required: { path: { ...PATH, description: 'The new path, with the name.' } },
    optional: { autorename: AUTORENAME },
    output: ENTRY,
    request: (input) => call('/files/create_folder_v2', pick(input, 'path', 'autorename')),
    read: outputAt('metadata'),
  }),
  writeAction('move', 'Moves a file or folder, or gives it another name.', {
    required: MOVED,
    optional: { autorename: AUTORENAME },
    output: ENTRY,
    request: (input) => call('/files/move_v2', pick(input, 'from_path', 'to_path', 'autorename')),
    read: outputAt('metadata'),
  }),
  writeAction('share', 'Makes a link to a file or folder that others can use.', {
    required: { path: PATH },
    output: outputOf({ url: text('For others.', 'https://www.dropbox.com/scl/fi/abc/4711.pdf') }),
    request: (input) => call('/sharing/create_shared_link_with_settings', pick(input, 'path')),
  }),
  idempotentWrite('delete', 'Takes a file, or a folder with all in it, away. It can be brought back in Dropbox.', {
    required: { path: PATH },
    output: ENTRY,
    request: (input) => call('/files/delete_v2', pick(input, 'path')),
    read: outputAt('metadata'),
  }),
];

export const dropbox = defineConnector({
  name: 'dropbox',
  title: 'Dropbox',
  description: 'Files and folders: list, search, take from the web, share, move, delete.',
  category: 'Storage',
  docs: 'https://www.dropbox.com/developers/documentation/http/documentation',

  fields: [
    secretField(
      'token',
      'Access token',
      'Of an app of yours: App Console. Tokens made there end after hours.',
      'sl.u.0123456789abcdef',
    ),
  ],
  base: 'https://api.dropboxapi.com/2',
  sign: bearer('token'),
  fault: faultFrom({
    message: [messageAt('error_summary')],
    code: codeAt('error[".tag"]'),
    retryAfterMs: secondsInBody('error.retry_after'),
  }),
  probe: 'get_me',
  actions,
});
