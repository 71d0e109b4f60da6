import type { JsonObject } from '../../../lib/json';
import { bearer } from '../auth';
import type { ConnectorRequest, HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byCursorWith } from '../http/pages';
import { outputAt } from '../http/read';
import { codeAt, secondsInBody, faultFrom } from '../http/error-text';
import { filledText, flag, integer, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { pick } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const call = (url: string, body: JsonObject): ConnectorRequest => ({ method: 'POST', url, body });

const PATH = filledText('Path that begins with a slash, or `id:` and an ID.', '/Invoices/4711.pdf');
const ENTRY = outputOf({
  '.tag': text('`file`, `folder` or `deleted`.', 'file'),
  id: text('ID of the file or folder.', 'id:a4ayc_80_OEAAAAAAAAAXw'),
  name: text('Last part of the path.', '4711.pdf'),
  path_display: text('Display name or path.', '/Invoices/4711.pdf'),
  size: integer('Size of a file in bytes.', 7212),
});
const MOVED = {
  from_path: { ...PATH, title: 'From' },
  to_path: filledText('New path including the name.', '/Paid/4711.pdf'),
};
const AUTORENAME = flag('Chooses another name if the path is taken.', { default: false });

/** Later pages are requested from another endpoint, by cursor only. */
const pagesOf = (items: string, next: string) =>
  byCursorWith({ items, cursor: 'cursor', more: 'has_more' }, (_request, cursor) => call(next, { cursor }));

const actions: readonly HttpAction[] = [
  readAction('get_me', 'Returns the account of the connection.', {
    output: outputOf({
      account_id: text('Account ID of the account.', 'dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'),
      email: text('Email of the account.', 'ada@example.com'),
      name: record('Name, with `display_name`.', { display_name: 'Ada Lovelace' }),
    }),
    // A method without arguments takes no body at all.
    call: 'POST /users/get_current_account',
  }),
  readAction('list_folder', 'Lists files and folders in a folder.', {
    required: { path: text('Path of the folder; empty: the root folder.', '/Invoices') },
    optional: { recursive: flag('Includes the contents of subfolders.', { default: false }) },
    item: ENTRY,
    request: (input) => call('/files/list_folder', pick(input, 'path', 'recursive')),
    pages: pagesOf('entries', '/files/list_folder/continue'),
  }),
  readAction('search', 'Searches files and folders by name and content.', {
    required: { query: filledText('Search terms.', 'invoice 4711') },
    optional: { path: text('Path of the folder to search. Default: all folders.', '/Invoices') },
    item: outputOf({ metadata: record('The file or folder, under `metadata`.') }),
    request: ({ query, ...input }) =>
      call('/files/search_v2', { query: query ?? null, options: { max_results: 100, ...pick(input, 'path') } }),
    pages: pagesOf('matches', '/files/search/continue_v2'),
  }),
  readAction('get_link', 'Creates a download link that is valid for four hours.', {
    required: { path: PATH },
    output: outputOf({
      link: text('Download URL.', 'https://ucabc123456.dl.dropboxusercontent.com/cd/0/get/abc'),
      metadata: record('Metadata of the file.', { name: '4711.pdf' }),
    }),
    request: (input) => call('/files/get_temporary_link', pick(input, 'path')),
  }),
  writeAction('save_url', 'Saves a file from a public URL; large files are saved asynchronously.', {
    required: { path: PATH, url: filledText('URL of the file.', 'https://example.com/4711.pdf') },
    output: outputOf({
      '.tag': text('`complete`, or `async_job_id` if still in progress.', 'complete'),
      async_job_id: text('ID of the job if still in progress.', '34g93hh34h04y384084'),
    }),
    request: (input) => call('/files/save_url', pick(input, 'path', 'url')),
  }),
  writeAction('create_folder', 'Creates a folder.', {
    required: { path: { ...PATH, description: 'New path including the name.' } },
    optional: { autorename: AUTORENAME },
    output: ENTRY,
    request: (input) => call('/files/create_folder_v2', pick(input, 'path', 'autorename')),
    read: outputAt('metadata'),
  }),
  writeAction('move', 'Moves or renames a file or folder.', {
    required: MOVED,
    optional: { autorename: AUTORENAME },
    output: ENTRY,
    request: (input) => call('/files/move_v2', pick(input, 'from_path', 'to_path', 'autorename')),
    read: outputAt('metadata'),
  }),
  writeAction('share', 'Creates a shared link to a file or folder.', {
    required: { path: PATH },
    output: outputOf({ url: text('Shared link.', 'https://www.dropbox.com/scl/fi/abc/4711.pdf') }),
    request: (input) => call('/sharing/create_shared_link_with_settings', pick(input, 'path')),
  }),
  idempotentWrite('delete', 'Deletes a file or folder with its contents. It can be restored in Dropbox.', {
    required: { path: PATH },
    output: ENTRY,
    request: (input) => call('/files/delete_v2', pick(input, 'path')),
    read: outputAt('metadata'),
  }),
];

export const dropbox = defineConnector({
  name: 'dropbox',
  title: 'Dropbox',
  description: 'List, search, save, share, move and delete files and folders.',
  category: 'Storage',
  docs: 'https://www.dropbox.com/developers/documentation/http/documentation',

  fields: [
    secretField(
      'token',
      'Access token',
      'Token of an app in the App Console. Generated tokens expire after a few hours.',
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
  connectionTest: 'get_me',
  actions,
});
