import { choice, flag, integer, list, object, text } from '../../schema';
import { listFolder, over, readFile, removeFile, renameFile, writeFile } from './actions';
import { HOST, plainField, portField, secretField } from '../credentials';
import { defineConnector } from '../define';

const path = (description: string, sample = '/reports/today.csv') =>
  text(description, sample, { minLength: 1, maxLength: 4_096 });

const entry = object(
  {
    name: text('Name without the folder.'),
    kind: choice(['file', 'folder', 'other'], 'Type.'),
    size: integer('Size in bytes.'),
    modified_at: text('ISO 8601 timestamp.'),
  },
  'A file or folder.',
);

const outputOf = (properties: Readonly<Record<string, object>>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** Files on a server over SSH. The server is known by its key: another one gets no credentials. */
export const sftp = defineConnector({
  name: 'sftp',
  title: 'SFTP',
  description: 'List, read, write, move and delete files on a server over SSH.',
  category: 'Storage',
  docs: 'https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02',

  fields: [
    HOST,
    portField(22),
    plainField('user', 'User name', 'User name to log in with.', 'reports'),
    plainField(
      'host_key',
      'Key of the server',
      'Fingerprint of the host key, as shown by `ssh-keyscan host | ssh-keygen -lf -`.',
      'SHA256:uNiVztksCsDhcc0u9e8BrXHxxuCtcFVdcHKSpP3rrvM',
    ),
    secretField('password', 'Password', 'Password of the user; or use a private key.', { required: false }),
    secretField('private_key', 'Private key', 'Private key in PEM or OpenSSH format.', { required: false }),
    secretField('passphrase', 'Passphrase', 'Passphrase of the private key.', { required: false }),
  ],
  base: '',
  sign: (request) => request,
  connectionTest: { action: 'list', input: { path: '.' } },
  actions: [
    {
      kind: 'code',
      name: 'list',
      title: 'List a folder',
      description: 'Lists files and folders in a folder.',
      effect: 'read',
      repeatable: true,
      input: { path: path('Path of the folder; `.` is the home folder.', '/reports') },
      required: ['path'],
      output: outputOf({
        entries: list(entry, 'Entries by name, up to 10,000.'),
        count: integer('Number of items.'),
        truncated: flag('Whether there are more entries.'),
      }),
      run: over(listFolder),
    },
    {
      kind: 'code',
      name: 'read',
      title: 'Read a file',
      description: 'Returns the content of a file of up to 10 MiB.',
      effect: 'read',
      repeatable: true,
      input: {
        path: path('Path of the file.'),
        encoding: choice(['text', 'base64'], 'UTF-8 text or base64.', { default: 'text' }),
      },
      required: ['path'],
      output: outputOf({ content: text('Content in the requested encoding.'), size: integer('Size in bytes.') }),
      run: over(readFile),
    },
    {
      kind: 'code',
      name: 'write',
      title: 'Write a file',
      description: 'Writes a file, replacing its content.',
      effect: 'write',
      // The same file again is the same file.
      repeatable: true,
      input: {
        path: path('Path of the file; its folder must exist.'),
        content: text('Content as text.', 'id,total\n7,3'),
        content_base64: text('Content in base64, instead of text.', 'aWQ='),
      },
      required: ['path'],
      output: outputOf({ path: text('Path of the written file.'), size: integer('Number of units.') }),
      run: over(writeFile),
    },
    {
      kind: 'code',
      name: 'remove',
      title: 'Delete a file',
      description: 'Deletes a file; a missing one is not an error.',
      effect: 'write',
      repeatable: true,
      input: { path: path('Path of the file.') },
      required: ['path'],
      output: outputOf({ removed: flag('Whether the file existed.') }),
      run: over(removeFile),
    },
    {
      kind: 'code',
      name: 'rename',
      title: 'Move a file',
      description: 'Moves or renames a file or folder.',
      effect: 'write',
      repeatable: false,
      input: { from: path('Name or URI.'), to: path('New path.', '/done/today.csv') },
      required: ['from', 'to'],
      output: outputOf({ path: text('Current path.') }),
      run: over(renameFile),
    },
  ],
});
