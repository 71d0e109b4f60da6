import type { JsonObject } from '../../../lib/json';
import { asOutput, done } from '../../outcome';
import type { CodeAction, ConnectorRequest, HttpAction } from '../contract';
import { downloadOutput, FILE_CONTENT, fileContent, SAVE_AS, saveAsFile } from '../file-content';
import { choice, filledText, integer, outputOf, record, text } from '../../schema';
import { idempotentWrite, readAction, writeAction } from '../define';
import { InvalidInputError } from '../invalid-input-error';
import { pathSegments, urlPath } from '../http/path';
import { textAt, withoutUndefined } from '../values';
import { DELETED, graphPages, idField, literal } from './graph';

const ITEM_ID = idField('ID of the file or folder.', '01BYE5RZ6QN3ZWBTUFOFD3GSPGOHDJD36K');
const FOLDER_ID = idField('ID of the folder; `root`: the top of OneDrive.', 'root');
const NAME = filledText('Name.', 'orders.csv', { maxLength: 255 });
const DRIVE_ID = idField('ID of a drive, such as of a site; left out: OneDrive of the account.', 'b!-RIj2DuyvEyV1T4N');
const ON_CONFLICT = choice(['fail', 'replace', 'rename'], 'What happens where the name is taken.', { default: 'fail' });

const ITEM = outputOf(
  {
    id: text('ID of the file or folder.'),
    name: text('Name.'),
    size: integer('Size in bytes.'),
    webUrl: text('URL in the web app.'),
    lastModifiedDateTime: text('Time of the last change.', '2026-03-01T10:00:00Z'),
    file: record('`mimeType` and `hashes`; of files alone.'),
    folder: record('`childCount`; of folders alone.'),
    parentReference: record('`id` and `path` of the folder.'),
  },
  ['id'],
);

const driveOf = (input: JsonObject): string =>
  input.drive_id === undefined ? '/me/drive' : urlPath`/drives/${input.drive_id}`;

export const itemAt = (input: JsonObject, id = input.item_id): string => driveOf(input) + urlPath`/items/${id}`;

const folderAt = (input: JsonObject): string => itemAt(input, input.folder_id ?? 'root');

const download: CodeAction = {
  kind: 'code',
  name: 'download_file',
  title: 'Download a file',
  description: 'Returns the content of a file of up to 10 MiB, or saves it as a file of the run.',
  effect: 'read',
  repeatable: true,
  input: {
    item_id: ITEM_ID,
    drive_id: DRIVE_ID,
    as: choice(['text', 'base64'], 'As text, or as base64.', { default: 'base64' }),
    save_as: SAVE_AS,
  },
  required: ['item_id'],
  output: outputOf(
    {
      content: text('Content as text.'),
      content_base64: text('Content in base64.'),
      content_type: text('Media type.'),
      size: integer('Size in bytes.'),
      path: text('Path in the workspace of the run, if saved.'),
    },
    ['content_type', 'size'],
  ),
  async run(input, _account, ctx, send) {
    const found = await send({ method: 'GET', url: itemAt(input) });
    if (found.kind === 'failed') return found.outcome;
    // The content itself is a redirect to this address, which needs no token.
    const url = textAt(found.response.body, '@microsoft.graph.downloadUrl');
    if (url === undefined) throw new InvalidInputError('"item_id" is a folder, or has no content');
    const sent = await send({ method: 'GET', url, anonymous: true, headers: { accept: '*/*' } });
    if (sent.kind === 'failed') return sent.outcome;
    const { bytes } = sent.response;
    const type = textAt(found.response.body, 'file', 'mimeType') ?? 'application/octet-stream';
    const path = textAt(input, 'save_as');
    if (path !== undefined) return saveAsFile(path, bytes, type, ctx);
    return done(downloadOutput(bytes, type, input.as === 'text'));
  },
};

/** The bytes of one request: larger files need an upload session. */
const upload: CodeAction = {
  kind: 'code',
  name: 'upload_file',
  title: 'Upload a file',
  description: 'Uploads a file, and replaces one of the same name.',
  effect: 'write',
  repeatable: true,
  input: {
    name: NAME,
    ...FILE_CONTENT,
    content_type: text('Media type.', 'text/csv', { maxLength: 255 }),
    folder_id: FOLDER_ID,
    folder_path: filledText(
      'Path of the folder, instead of its ID; it is created where it is missing.',
      'Invoices/2026',
      {
        maxLength: 1_024,
      },
    ),
    drive_id: DRIVE_ID,
  },
  required: ['name'],
  output: ITEM,
  async run(input, _account, ctx, send) {
    const content = await fileContent(input, ctx);
    if (content.kind === 'failed') return content.outcome;
    const folder = textAt(input, 'folder_path');
    const place = folder === undefined ? input.name : `${folder.replace(/\/+$/, '')}/${String(input.name)}`;
    const sent = await send({
      method: 'PUT',
      url: folderAt(input) + urlPath`:/${pathSegments(place)}:/content`,
      headers: { 'content-type': textAt(input, 'content_type') ?? content.type },
      body: content.bytes,
    });
    return sent.kind === 'response' ? done(asOutput(sent.response.body)) : sent.outcome;
  },
};

const searchOf = (input: JsonObject): ConnectorRequest => ({
  method: 'GET',
  url: `${driveOf(input)}/root/search(q=${encodeURIComponent(literal(textAt(input, 'query') ?? ''))})`,
  query: { $top: 100 },
});

/** OneDrive, and the drives of SharePoint sites. */
export const files = [
  readAction('list_folder', 'Lists files and folders in a folder.', {
    optional: { folder_id: FOLDER_ID, drive_id: DRIVE_ID },
    item: ITEM,
    request: (input) => ({ method: 'GET', url: `${folderAt(input)}/children`, query: { $top: 200 } }),
    pages: graphPages,
  }),
  readAction('search_files', 'Searches files and folders by name and content.', {
    required: { query: filledText('Search terms.', 'invoice 4711', { maxLength: 500 }) },
    optional: { drive_id: DRIVE_ID },
    item: ITEM,
    request: searchOf,
    pages: graphPages,
  }),
  readAction('get_file', 'Returns metadata of a file or folder, by its ID or its path.', {
    optional: {
      item_id: ITEM_ID,
      path: filledText('Path from the top of the drive, instead of the ID.', 'Invoices/4711.pdf', { maxLength: 1_024 }),
      drive_id: DRIVE_ID,
    },
    output: ITEM,
    request: (input) => {
      if ((input.item_id === undefined) === (input.path === undefined))
        throw new InvalidInputError('set exactly one of "item_id" and "path"');
      const url =
        input.path === undefined ? itemAt(input) : `${driveOf(input)}/root${urlPath`:/${pathSegments(input.path)}`}`;
      return { method: 'GET', url };
    },
  }),
  download,
  upload,
  writeAction('create_folder', 'Creates a folder.', {
    required: { name: NAME },
    optional: { folder_id: FOLDER_ID, drive_id: DRIVE_ID, on_conflict: ON_CONFLICT },
    output: ITEM,
    request: (input) => ({
      method: 'POST',
      url: `${folderAt(input)}/children`,
      body: {
        name: input.name ?? '',
        folder: {},
        '@microsoft.graph.conflictBehavior': input.on_conflict ?? 'fail',
      },
    }),
  }),
  idempotentWrite('move_file', 'Moves a file or folder, or renames it.', {
    required: { item_id: ITEM_ID },
    optional: { folder_id: FOLDER_ID, name: NAME, drive_id: DRIVE_ID },
    output: ITEM,
    request: (input) => ({
      method: 'PATCH',
      url: itemAt(input),
      body: withoutUndefined({
        name: input.name,
        parentReference: input.folder_id === undefined ? undefined : { id: input.folder_id },
      }),
    }),
  }),
  idempotentWrite('share_file', 'Creates a link to a file or folder, or returns the one that is there.', {
    required: { item_id: ITEM_ID },
    optional: {
      type: choice(['view', 'edit'], 'What the link allows.', { default: 'view' }),
      scope: choice(['anonymous', 'organization'], 'For whom it is.', { default: 'organization' }),
      drive_id: DRIVE_ID,
    },
    output: outputOf({ id: text('ID of the permission.'), link: record('`webUrl`, `type` and `scope`.') }, ['link']),
    request: (input) => ({
      method: 'POST',
      url: `${itemAt(input)}/createLink`,
      body: { type: input.type ?? 'view', scope: input.scope ?? 'organization' },
    }),
  }),
  idempotentWrite('delete_file', 'Moves a file or folder to the recycle bin.', {
    required: { item_id: ITEM_ID },
    optional: { drive_id: DRIVE_ID },
    ...DELETED,
    request: (input) => ({ method: 'DELETE', url: itemAt(input) }),
  }),
] satisfies readonly (HttpAction | CodeAction)[];

export { DRIVE_ID, ITEM_ID };
