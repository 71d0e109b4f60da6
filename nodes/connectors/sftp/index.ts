import type { Connector } from '../contract';
import { choice, flag, integer, list, object, text } from '../../schema';
import { listFolder, over, readFile, removeFile, renameFile, writeFile } from './actions';
import { HOST, plainField, portField, secretField } from '../credentials';
import { defineConnector } from '../define';

const path = (description: string, sample = '/reports/today.csv') =>
  text(description, sample, { minLength: 1, maxLength: 4_096 });

const entry = object(
  {
    name: text('Without its folder.'),
    kind: choice(['file', 'folder', 'other'], 'What it is.'),
    size: integer('How large it is.'),
    modified_at: text('An instant, ISO 8601.'),
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
  description: 'Lists, reads, writes, moves and removes files on a server over SSH.',
  category: 'Storage',
  docs: 'https://datatracker.ietf.org/doc/html/draft-ietf-secsh-filexfer-02',

  fields: [
    HOST,
    portField(22),
    plainField('user', 'User name', 'Who logs in.', 'reports'),
    plainField(
      'host_key',
      'Key of the server',
      'Its fingerprint, as `ssh-keyscan host | ssh-keygen -lf -` shows it.',
      'SHA256:uNiVztksCsDhcc0u9e8BrXHxxuCtcFVdcHKSpP3rrvM',
    ),
    secretField('password', 'Password', 'Of that user; or a private key.', undefined, { required: false }),
    secretField('private_key', 'Private key', 'In PEM or the format of OpenSSH.', undefined, { required: false }),
    secretField('passphrase', 'Passphrase', 'Of the private key.', undefined, { required: false }),
  ],
  base: '',
  sign: (request) => request,
  probe: { action: 'list', input: { path: '.' } },
  actions: [
    {
      kind: 'code',
      name: 'list',
      title: 'List a folder',
      description: 'Gives the files and folders in a folder.',
      effect: 'read',
      repeatable: true,
      input: { path: path('Where to look; `.` is where the user begins.', '/reports') },
      required: ['path'],
      output: outputOf({
        entries: list(entry, 'By name, 10,000 at most.'),
        count: integer('How many there are.'),
        truncated: flag('There are more than are listed.'),
      }),
      run: over(listFolder),
    },
    {
      kind: 'code',
      name: 'read',
      title: 'Read a file',
      description: 'Gives the content of a file of at most 10 MiB.',
      effect: 'read',
      repeatable: true,
      input: {
        path: path('Which file.'),
        encoding: choice(['text', 'base64'], 'Text in UTF-8, or any bytes in base64.', { default: 'text' }),
      },
      required: ['path'],
      output: outputOf({
        content: text('As it was asked for.'),
        size: integer('How large it is.'),
      }),
      run: over(readFile),
    },
    {
      kind: 'code',
      name: 'write',
      title: 'Write a file',
      description: 'Puts content into a file, instead of what it held.',
      effect: 'write',
      // The same file again is the same file.
      repeatable: true,
      input: {
        path: path('Which file; its folder must be there.'),
        content: text('What the file is to hold.', 'id,total\n7,3'),
        content_base64: text('The same in base64, instead of text.', 'aWQ='),
      },
      required: ['path'],
      output: outputOf({ path: text('What was written.'), size: integer('How many.') }),
      run: over(writeFile),
    },
    {
      kind: 'code',
      name: 'remove',
      title: 'Remove a file',
      description: 'Removes a file; one that is not there is as good as removed.',
      effect: 'write',
      repeatable: true,
      input: { path: path('Which file.') },
      required: ['path'],
      output: outputOf({ removed: flag('False: it was not there.') }),
      run: over(removeFile),
    },
    {
      kind: 'code',
      name: 'rename',
      title: 'Move a file',
      description: 'Gives a file or folder another name or place.',
      effect: 'write',
      repeatable: false,
      input: {
        from: path('What it is called.'),
        to: path('What it is to be called.', '/done/today.csv'),
      },
      required: ['from', 'to'],
      output: outputOf({ path: text('Where it is now.') }),
      run: over(renameFile),
    },
  ],
});
