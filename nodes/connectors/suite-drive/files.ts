import type { JsonObject } from '../../../lib/json';
import type { HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { choice, flag, object, outputOf, text } from '../../schema';
import { tokenPages } from '../suite/pages';
import { objectAt, withoutUndefined, textAt } from '../values';
import { FILE, FILE_FIELDS, FILE_ID, FOLDER_ID, MIME_TYPE, NAME, ROLE } from './fields';
import { pick } from '../input';
import { idempotentWrite, readAction, writeAction } from '../define';

/** Files of shared drives count as any other. */
export const EVERYWHERE = { supportsAllDrives: true } as const;

const FOLDER_TYPE = 'application/vnd.google-apps.folder';

export const parentsOf = (input: JsonObject): string[] | undefined => {
  const folder = textAt(input, 'folder_id');
  return folder === undefined ? undefined : [folder];
};

export const files: readonly HttpAction[] = [
  readAction('search_files', 'Lists files and folders, most recently changed first.', {
    optional: {
      name_contains: text('Part of the name.', 'orders', { maxLength: 500 }),
      text_contains: text('Search terms for the content.', 'invoice', { maxLength: 500 }),
      folder_id: FOLDER_ID,
      type: MIME_TYPE,
      query: text("Additional query in the provider's format.", "modifiedTime > '2026-01-01T00:00:00'", {
        maxLength: 5_000,
      }),
      trashed: flag('Returns only trashed files instead of others.', { default: false }),
    },
    item: FILE,
    request: (input) => ({
      method: 'GET',
      url: '/drive/v3/files',
      query: {
        q: queryOf(input),
        fields: `nextPageToken,files(${FILE_FIELDS})`,
        // With a full-text query the provider sorts by relevance and refuses another order.
        orderBy: 'text_contains' in input ? undefined : 'modifiedTime desc',
        pageSize: 100,
        ...EVERYWHERE,
        includeItemsFromAllDrives: true,
      },
    }),
    pages: tokenPages('files'),
  }),
  readAction('get_file', 'Returns metadata of a file or folder.', {
    required: { file_id: FILE_ID },
    output: FILE,
    call: 'GET /drive/v3/files/{file_id}',
    query: { fields: FILE_FIELDS, ...EVERYWHERE },
  }),
  writeAction('create_folder', 'Creates a folder.', {
    required: { name: NAME },
    optional: { folder_id: FOLDER_ID },
    output: FILE,
    request: (input) => ({
      method: 'POST',
      url: '/drive/v3/files',
      query: { fields: FILE_FIELDS, ...EVERYWHERE },
      body: withoutUndefined({ ...pick(input, 'name'), mimeType: FOLDER_TYPE, parents: parentsOf(input) }),
    }),
  }),
  writeAction('copy_file', 'Copies a file, such as a template.', {
    required: { file_id: FILE_ID },
    optional: { name: NAME, folder_id: FOLDER_ID },
    output: FILE,
    request: (input) => ({
      method: 'POST',
      url: urlPath`/drive/v3/files/${input.file_id}/copy`,
      query: { fields: FILE_FIELDS, ...EVERYWHERE },
      body: withoutUndefined({ ...pick(input, 'name'), parents: parentsOf(input) }),
    }),
  }),
  writeAction('share_file', 'Shares a file with a user, a group, a domain, or anyone with the link.', {
    required: { file_id: FILE_ID, with: choice(['user', 'group', 'domain', 'anyone'], 'Type of the grantee.') },
    optional: {
      role: ROLE,
      email: text('Email address of the user or group.', 'ada@example.com', { maxLength: 254 }),
      domain: text('Domain.', 'example.com', { maxLength: 253 }),
      notify: flag('Sends an email notification.', { default: false }),
      message: text('Text of the notification.', 'Here it is.', { maxLength: 5_000 }),
    },
    output: outputOf(
      { id: text('ID of the permission.'), role: text('Access role.'), type: text('Type of the grantee.') },
      ['id'],
    ),
    request: (input) => {
      const named = input.with === 'user' || input.with === 'group';
      return {
        method: 'POST',
        url: urlPath`/drive/v3/files/${input.file_id}/permissions`,
        query: {
          ...EVERYWHERE,
          sendNotificationEmail: named ? input.notify === true : undefined,
          emailMessage: named && input.notify === true ? textAt(input, 'message') : undefined,
        },
        body: withoutUndefined({
          type: textAt(input, 'with'),
          role: textAt(input, 'role') ?? 'reader',
          emailAddress: named ? textAt(input, 'email') : undefined,
          domain: input.with === 'domain' ? textAt(input, 'domain') : undefined,
        }),
      };
    },
  }),
  idempotentWrite('rename_file', 'Renames a file or folder.', {
    required: { file_id: FILE_ID, name: NAME },
    output: FILE,
    call: 'PATCH /drive/v3/files/{file_id}',
    query: { fields: FILE_FIELDS, ...EVERYWHERE },
  }),
  idempotentWrite('trash_file', 'Moves a file or folder to the trash.', {
    required: { file_id: FILE_ID },
    output: FILE,
    call: 'PATCH /drive/v3/files/{file_id}',
    query: { fields: FILE_FIELDS, ...EVERYWHERE },
    body: { trashed: true },
  }),
  idempotentWrite('delete_file', 'Deletes a file permanently.', {
    required: { file_id: FILE_ID },
    output: outputOf({ deleted: flag('Always true.') }, ['deleted']),
    call: 'DELETE /drive/v3/files/{file_id}',
    query: EVERYWHERE,
    read: () => ({ deleted: true }),
  }),
  readAction('about', 'Returns the user and the storage quota.', {
    output: outputOf(
      {
        user: object({}, '`displayName` and `emailAddress`.', { open: true }),
        storageQuota: object({}, '`limit` and `usage`, in bytes.', { open: true }),
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
