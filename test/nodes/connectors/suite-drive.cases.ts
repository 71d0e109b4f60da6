import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import { CASE_KEY } from '../node-case';
import { casesOf } from './case-builders';
import { FILE_FIELDS } from '../../../nodes/connectors/suite-drive/fields';

const { gives, pages, fails, talks } = casesOf(
  { access_token: 'ya29.0123456789' },
  { authorization: 'Bearer ya29.0123456789' },
);

const FILE = { id: 'f1', name: 'orders.csv', mimeType: 'text/csv', size: '10', parents: ['p1'] };
const FIELDS = { fields: FILE_FIELDS, supportsAllDrives: 'true' };
const BOUNDARY = createHash('sha256').update(CASE_KEY).digest('hex');

const search = (q: string, more: Record<string, string> = {}) => ({
  query: {
    q,
    fields: `nextPageToken,files(${FILE_FIELDS})`,
    orderBy: 'modifiedTime desc',
    pageSize: '100',
    supportsAllDrives: 'true',
    includeItemsFromAllDrives: 'true',
    ...more,
  },
});

/** One exchange whose answer is no JSON. */
const downloads = (
  title: string,
  input: Parameters<typeof talks>[1],
  line: Parameters<typeof talks>[2][number][0],
  type: string,
  bytes: string,
  output: Parameters<typeof gives>[4] & object,
) =>
  talks(
    ['download_file', title],
    input,
    [[line, { headers: { 'content-type': type }, base64: Buffer.from(bytes, 'latin1').toString('base64') }]],
    { output },
  );

const share = (title: string, input: JsonObject, query: Record<string, string>, body: JsonObject) =>
  gives(
    ['share_file', title],
    { file_id: 'f1', ...input },
    ['POST /drive/v3/files/f1/permissions', { query: { supportsAllDrives: 'true', ...query }, body }],
    { id: 'p7', role: 'reader', type: 'user' },
  );

export const cases = [
  pages(
    ['search_files', 'words cannot leave their quotes, and pages follow the token'],
    { name_contains: "it's \\ or '1'='1", folder_id: 'root', query: 'starred = true' },
    [
      [
        [
          'GET /drive/v3/files',
          search(
            "trashed = false and name contains 'it\\'s \\\\ or \\'1\\'=\\'1' and 'root' in parents and (starred = true)",
          ),
        ],
        { json: { files: [FILE], nextPageToken: 'next' } },
      ],
      [
        [
          'GET /drive/v3/files',
          search(
            "trashed = false and name contains 'it\\'s \\\\ or \\'1\\'=\\'1' and 'root' in parents and (starred = true)",
            { pageToken: 'next' },
          ),
        ],
        { json: { files: [] } },
      ],
    ],
    [FILE],
  ),
  gives(['get_file', 'a file is looked at'], { file_id: 'f1' }, ['GET /drive/v3/files/f1', { query: FIELDS }], FILE),
  fails(
    ['get_file', 'an exhausted daily quota is not retryable'],
    { file_id: 'f1' },
    ['GET /drive/v3/files/f1', { query: FIELDS }],
    {
      status: 403,
      json: { error: { code: 403, message: 'Daily Limit Exceeded', errors: [{ reason: 'dailyLimitExceeded' }] } },
    },
    { code: 'dailyLimitExceeded', message: 'Daily Limit Exceeded' },
  ),
  gives(
    ['create_folder', 'a folder is created'],
    { name: 'Orders', folder_id: 'p1' },
    [
      'POST /drive/v3/files',
      { query: FIELDS, body: { name: 'Orders', mimeType: 'application/vnd.google-apps.folder', parents: ['p1'] } },
    ],
    { ...FILE, name: 'Orders' },
  ),
  gives(
    ['copy_file', 'a file is copied'],
    { file_id: 'f1', name: 'Copy' },
    ['POST /drive/v3/files/f1/copy', { query: FIELDS, body: { name: 'Copy' } }],
    FILE,
  ),
  share(
    'a person gets write access, and is notified',
    { with: 'user', role: 'writer', email: 'ada@example.com', notify: true, message: 'Here.' },
    { sendNotificationEmail: 'true', emailMessage: 'Here.' },
    { type: 'user', role: 'writer', emailAddress: 'ada@example.com' },
  ),
  share('everybody with the link may read', { with: 'anyone' }, {}, { type: 'anyone', role: 'reader' }),
  gives(
    ['rename_file', 'a file gets another name'],
    { file_id: 'f1', name: 'new.csv' },
    ['PATCH /drive/v3/files/f1', { query: FIELDS, body: { name: 'new.csv' } }],
    FILE,
  ),
  gives(
    ['trash_file', 'a file goes into the trash'],
    { file_id: 'f1' },
    ['PATCH /drive/v3/files/f1', { query: FIELDS, body: { trashed: true } }],
    { ...FILE, trashed: true },
  ),
  gives(
    ['delete_file', 'a file is deleted'],
    { file_id: 'f1' },
    'DELETE /drive/v3/files/f1?supportsAllDrives=true',
    null,
    { deleted: true },
  ),
  gives(['about', 'the drive is looked at'], {}, 'GET /drive/v3/about?fields=user,storageQuota', {
    user: { emailAddress: 'ada@example.com' },
    storageQuota: { limit: '1', usage: '0' },
  }),
  downloads(
    'text is text',
    { file_id: 'f1' },
    ['GET /drive/v3/files/f1?alt=media&supportsAllDrives=true', { headers: { accept: '*/*' } }],
    'text/csv',
    'item,price',
    { content: 'item,price', content_type: 'text/csv', size: 10 },
  ),
  downloads(
    'JSON stays the text that it is',
    { file_id: 'f1' },
    'GET /drive/v3/files/f1?alt=media&supportsAllDrives=true',
    'application/json',
    '{ "a": 1 }',
    { content: '{ "a": 1 }', content_type: 'application/json', size: 10 },
  ),
  downloads(
    'bytes come in base64, of a document of the suite in the format that is wanted',
    { file_id: 'f1', export_as: 'application/pdf' },
    'GET /drive/v3/files/f1/export?mimeType=application/pdf',
    'application/pdf',
    '\xff\x00',
    { content_base64: '/wA=', content_type: 'application/pdf', size: 2 },
  ),
  gives(
    ['upload_file', 'a file is sent with its metadata, in one body'],
    { name: 'ü.csv', content: 'item,price', content_type: 'text/csv', folder_id: 'p1' },
    [
      'POST /upload/drive/v3/files',
      {
        query: { uploadType: 'multipart', ...FIELDS },
        headers: { 'content-type': `multipart/related; boundary=${BOUNDARY}` },
        body:
          `--${BOUNDARY}\r\ncontent-type: application/json; charset=UTF-8\r\n\r\n{"name":"ü.csv","parents":["p1"]}\r\n` +
          `--${BOUNDARY}\r\ncontent-type: text/csv\r\n\r\nitem,price\r\n--${BOUNDARY}--\r\n`,
      },
    ],
    FILE,
  ),
  talks(
    ['move_file', 'a file leaves the folders that it was in'],
    { file_id: 'f1', folder_id: 'root' },
    [
      ['GET /drive/v3/files/root?fields=id&supportsAllDrives=true', { json: { id: 'p2' } }],
      [['GET /drive/v3/files/f1', { query: FIELDS }], { json: FILE }],
      [
        ['PATCH /drive/v3/files/f1', { query: { addParents: 'p2', removeParents: 'p1', ...FIELDS }, body: {} }],
        { json: { ...FILE, parents: ['p2'] } },
      ],
    ],
    { output: { ...FILE, parents: ['p2'] } },
  ),
  talks(
    ['move_file', 'one that is there already stays'],
    { file_id: 'f1', folder_id: 'root' },
    [
      ['GET /drive/v3/files/root?fields=id&supportsAllDrives=true', { json: { id: 'p1' } }],
      [['GET /drive/v3/files/f1', { query: FIELDS }], { json: FILE }],
    ],
    { output: FILE },
  ),
];
