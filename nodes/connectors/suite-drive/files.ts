import type { JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { asks, does, pick, settles } from '../define';
import { at } from '../http/path';
import { choice, flag, object, outputOf, text } from '../schemas';
import { tokenPages } from '../suite/pages';
import { objectAt, present, textAt } from '../values';
import { FILE, FILE_FIELDS, FILE_ID, FOLDER_ID, MIME_TYPE, NAME, ROLE } from './fields';

/** Files of shared drives count as any other. */
export const EVERYWHERE = { supportsAllDrives: true } as const;

const FOLDER_TYPE = 'application/vnd.google-apps.folder';

export const parentsOf = (input: JsonObject): string[] | undefined => {
  const folder = textAt(input, 'folder_id');
  return folder === undefined ? undefined : [folder];
};

export const files: readonly HttpAction[] = [
  asks('search_files', 'Search files', 'Files and folders, those changed last first.', {
    may: {
      name_contains: text('Name', 'A part of the name.', 'orders', { maxLength: 500 }),
      text_contains: text('Text', 'Words in the file.', 'invoice', { maxLength: 500 }),
      folder_id: FOLDER_ID,
      type: MIME_TYPE,
      query: text('Query', 'More, as the provider documents it.', "modifiedTime > '2026-01-01T00:00:00'", {
        maxLength: 5_000,
      }),
      trashed: flag('In the trash', 'Only what is there, instead of what is not.', { default: false }),
    },
    item: FILE,
    request: (input) => ({
      method: 'GET',
      url: '/drive/v3/files',
      query: {
        q: queryOf(input),
        fields: `nextPageToken,files(${FILE_FIELDS})`,
        // With words in the file the provider sorts by how well they fit, and refuses another order.
        orderBy: 'text_contains' in input ? undefined : 'modifiedTime desc',
        pageSize: 100,
        ...EVERYWHERE,
        includeItemsFromAllDrives: true,
      },
    }),
    pages: tokenPages('files'),
  }),
  asks('get_file', 'Look at a file', 'What is known of a file or folder.', {
    needs: { file_id: FILE_ID },
    output: FILE,
    call: 'GET /drive/v3/files/{file_id}',
    query: { fields: FILE_FIELDS, ...EVERYWHERE },
  }),
  does('create_folder', 'Create a folder', 'A new folder.', {
    needs: { name: NAME },
    may: { folder_id: FOLDER_ID },
    output: FILE,
    request: (input) => ({
      method: 'POST',
      url: '/drive/v3/files',
      query: { fields: FILE_FIELDS, ...EVERYWHERE },
      body: present({ ...pick(input, 'name'), mimeType: FOLDER_TYPE, parents: parentsOf(input) }),
    }),
  }),
  does('copy_file', 'Copy a file', 'One more of the same; of a template for example.', {
    needs: { file_id: FILE_ID },
    may: { name: NAME, folder_id: FOLDER_ID },
    output: FILE,
    request: (input) => ({
      method: 'POST',
      url: at`/drive/v3/files/${input.file_id}/copy`,
      query: { fields: FILE_FIELDS, ...EVERYWHERE },
      body: present({ ...pick(input, 'name'), parents: parentsOf(input) }),
    }),
  }),
  does('share_file', 'Share a file', 'Lets a person, a group, a domain or everybody with the link see it.', {
    needs: { file_id: FILE_ID, with: choice(['user', 'group', 'domain', 'anyone'], 'With', 'Who.') },
    may: {
      role: ROLE,
      email: text('Email address', 'Of the user or group.', 'ada@example.com', { maxLength: 254 }),
      domain: text('Domain', 'Whose users.', 'example.com', { maxLength: 253 }),
      notify: flag('Tell them', 'Sends an email to the user or group.', { default: false }),
      message: text('Message', 'What the email says.', 'Here it is.', { maxLength: 5_000 }),
    },
    output: outputOf(
      { id: text('Id', 'Id of the permission.'), role: text('Role', 'What one may do.'), type: text('Kind', 'Who.') },
      ['id'],
    ),
    request: (input) => {
      const named = input.with === 'user' || input.with === 'group';
      return {
        method: 'POST',
        url: at`/drive/v3/files/${input.file_id}/permissions`,
        query: {
          ...EVERYWHERE,
          sendNotificationEmail: named ? input.notify === true : undefined,
          emailMessage: named && input.notify === true ? textAt(input, 'message') : undefined,
        },
        body: present({
          type: textAt(input, 'with'),
          role: textAt(input, 'role') ?? 'reader',
          emailAddress: named ? textAt(input, 'email') : undefined,
          domain: input.with === 'domain' ? textAt(input, 'domain') : undefined,
        }),
      };
    },
  }),
  settles('rename_file', 'Rename a file', 'Gives a file or folder another name.', {
    needs: { file_id: FILE_ID, name: NAME },
    output: FILE,
    call: 'PATCH /drive/v3/files/{file_id}',
    query: { fields: FILE_FIELDS, ...EVERYWHERE },
  }),
  settles('trash_file', 'Trash a file', 'Puts a file or folder into the trash, where it can be taken out again.', {
    needs: { file_id: FILE_ID },
    output: FILE,
    call: 'PATCH /drive/v3/files/{file_id}',
    query: { fields: FILE_FIELDS, ...EVERYWHERE },
    body: { trashed: true },
  }),
  settles('delete_file', 'Delete a file for good', 'Permanently, not to the trash.', {
    needs: { file_id: FILE_ID },
    output: outputOf({ deleted: flag('Deleted', 'True.') }, ['deleted']),
    call: 'DELETE /drive/v3/files/{file_id}',
    query: EVERYWHERE,
    read: () => ({ deleted: true }),
  }),
  asks('about', 'Look at the drive', 'Whose it is, and how full.', {
    output: outputOf(
      {
        user: object({}, 'User', '`displayName` and `emailAddress`.', { open: true }),
        storageQuota: object({}, 'Space', '`limit` and `usage`, in bytes.', { open: true }),
      },
      ['user'],
    ),
    call: 'GET /drive/v3/about',
    query: { fields: 'user,storageQuota' },
    read: ({ body }) => ({ user: objectAt(body, 'user'), storageQuota: objectAt(body, 'storageQuota') }),
  }),
];

/** A search in the provider's language: every part must fit. */
function queryOf(input: JsonObject): string {
  const name = textAt(input, 'name_contains');
  const words = textAt(input, 'text_contains');
  const folder = textAt(input, 'folder_id');
  const type = textAt(input, 'type');
  const query = textAt(input, 'query');
  return [
    `trashed = ${input.trashed === true}`,
    ...(name === undefined ? [] : [`name contains ${literal(name)}`]),
    ...(words === undefined ? [] : [`fullText contains ${literal(words)}`]),
    ...(folder === undefined ? [] : [`${literal(folder)} in parents`]),
    ...(type === undefined ? [] : [`mimeType = ${literal(type)}`]),
    ...(query === undefined ? [] : [`(${query})`]),
  ].join(' and ');
}

const literal = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;
