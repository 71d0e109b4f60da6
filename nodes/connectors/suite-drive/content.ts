import type { JsonObject } from '../../../lib/json';
import { asOutput, done } from '../../outcome';
import type { CodeAction, ConnectorResponse, ConnectorRequest } from '../contract';
import { downloadOutput, FILE_CONTENT, fileContent, SAVE_AS, saveAsFile } from '../file-content';
import { urlPath } from '../http/path';
import { choice, integer, outputOf, text } from '../../schema';
import { multipartRelated } from '../suite/multipart';
import { withoutUndefined, textAt, textsAt } from '../values';
import { EVERYWHERE, parentsOf } from './files';
import { FILE, FILE_FIELDS, FILE_ID, FOLDER_ID, MIME_TYPE, NAME } from './fields';
import { pick } from '../input';

const fileAt = (input: JsonObject, behind = ''): Pick<ConnectorRequest, 'method' | 'url'> => ({
  method: 'GET',
  url: urlPath`/drive/v3/files/${input.file_id}` + behind,
});

/** What of a file is text: the rest comes in base64. */
const TEXTUAL = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|javascript|yaml|x-ndjson)\b)/i;

const typeOf = ({ headers }: ConnectorResponse): string => headers['content-type'] ?? 'application/octet-stream';

function contentOf(response: ConnectorResponse, as: string | undefined): JsonObject {
  const { bytes } = response;
  const type = typeOf(response);
  const asText = as === 'text' || (as !== 'base64' && TEXTUAL.test(type));
  return downloadOutput(bytes, type, asText);
}

const download = (input: JsonObject): ConnectorRequest => {
  const mimeType = textAt(input, 'export_as');
  const headers = { accept: '*/*' };
  return mimeType === undefined
    ? { ...fileAt(input), query: { alt: 'media', ...EVERYWHERE }, headers }
    : { ...fileAt(input, '/export'), query: { mimeType }, headers };
};

const downloadFile: CodeAction = {
  kind: 'code',
  name: 'download_file',
  title: 'Download a file',
  description: 'Returns the content of a file of up to 10 MiB; Google documents are exported to another format.',
  effect: 'read',
  repeatable: true,
  input: {
    file_id: FILE_ID,
    export_as: {
      ...MIME_TYPE,
      title: 'Export format',
      description: 'For Google documents: a media type such as `text/csv` or `application/pdf`.',
    },
    as: choice(['auto', 'text', 'base64'], 'By media type, as text, or as base64.', { default: 'auto' }),
    save_as: SAVE_AS,
  },
  required: ['file_id'],
  output: outputOf(
    {
      content: text('Content as text.'),
      content_base64: text('Content in base64, if not text.'),
      content_type: text('Media type.'),
      size: integer('Size in bytes.'),
      path: text('Path in the workspace of the run, if saved.'),
    },
    ['content_type', 'size'],
  ),
  async run(input, _account, ctx, send) {
    const sent = await send(download(input));
    if (sent.kind === 'failed') return sent.outcome;
    const { response } = sent;
    const path = textAt(input, 'save_as');
    return path === undefined
      ? done(contentOf(response, textAt(input, 'as')))
      : saveAsFile(path, response.bytes, typeOf(response), ctx);
  },
};

const uploadFile: CodeAction = {
  kind: 'code',
  name: 'upload_file',
  title: 'Upload a file',
  description: 'Uploads a file, optionally converted to a Google document.',
  effect: 'write',
  repeatable: false,
  input: {
    name: NAME,
    ...FILE_CONTENT,
    content_type: MIME_TYPE,
    convert_to: {
      ...MIME_TYPE,
      title: 'Convert to',
      description: 'A Google document type, such as `application/vnd.google-apps.spreadsheet`.',
    },
    folder_id: FOLDER_ID,
    description: text('Description.', 'Orders of today', { maxLength: 10_000 }),
  },
  required: ['name'],
  output: FILE,
  async run(input, _account, ctx, send) {
    const content = await fileContent(input, ctx);
    if (content.kind === 'failed') return content.outcome;
    const metadata = withoutUndefined({
      ...pick(input, 'name', 'description'),
      mimeType: textAt(input, 'convert_to'),
      parents: parentsOf(input),
    });
    const file = { type: textAt(input, 'content_type') ?? content.type, bytes: content.bytes };
    const sent = await send({
      method: 'POST',
      url: '/upload/drive/v3/files',
      query: { uploadType: 'multipart', fields: FILE_FIELDS, ...EVERYWHERE },
      ...multipartRelated(ctx.idempotencyKey, metadata, file),
    });
    return sent.kind === 'response' ? done(asOutput(sent.response.body)) : sent.outcome;
  },
};

/** A file is moved by naming its present folders: both are requested first. */
const moveFile: CodeAction = {
  kind: 'code',
  name: 'move_file',
  title: 'Move a file',
  description: 'Moves a file or folder to another folder.',
  effect: 'write',
  repeatable: true,
  input: { file_id: FILE_ID, folder_id: FOLDER_ID },
  required: ['file_id', 'folder_id'],
  output: FILE,
  async run(input, _account, _ctx, send) {
    const url = urlPath`/drive/v3/files/${input.file_id}`;
    const target = await send({
      method: 'GET',
      url: urlPath`/drive/v3/files/${input.folder_id}`,
      query: { fields: 'id', ...EVERYWHERE },
    });
    if (target.kind === 'failed') return target.outcome;
    // The folder's id, also if it was named by an alias: a file must not be removed from its target.
    const folder = textAt(target.response.body, 'id');
    const found = await send({ method: 'GET', url, query: { fields: FILE_FIELDS, ...EVERYWHERE } });
    if (found.kind === 'failed') return found.outcome;
    const parents = textsAt(found.response.body, 'parents');
    if (parents.length === 1 && parents[0] === folder) return done(asOutput(found.response.body));
    const left = parents.filter((one) => one !== folder).join(',');
    const moved = await send({
      method: 'PATCH',
      url,
      query: { addParents: folder, removeParents: left === '' ? undefined : left, fields: FILE_FIELDS, ...EVERYWHERE },
      body: {},
    });
    return moved.kind === 'response' ? done(asOutput(moved.response.body)) : moved.outcome;
  },
};

export const content: readonly CodeAction[] = [downloadFile, uploadFile, moveFile];
