import { choice, filledText, flag, list, object, outputOf, text } from '../../schema';

export const FILE_ID = filledText('ID of the file or folder.', '0B0lVr5kVtBlTU0dSZFF3Rm1jTXM', { maxLength: 200 });

export const FOLDER_ID = filledText('ID of the folder; `root`: the top folder.', '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g', {
  maxLength: 200,
});

export const NAME = filledText('Name.', 'orders.csv', { maxLength: 1_000 });

export const MIME_TYPE = text('Media type.', 'text/csv', {
  pattern: '^[\\w.+-]+/[\\w.+-]+(?:; ?charset=[\\w-]+)?$',
  maxLength: 200,
});

/** The output fields of a file. */
export const FILE_FIELDS =
  'id,name,mimeType,size,parents,webViewLink,createdTime,modifiedTime,trashed,owners(emailAddress)';

export const FILE = outputOf(
  {
    id: text('ID of the file.'),
    name: text('Name of the field.'),
    mimeType: text('Media type; folders have their own.'),
    size: text('Size in bytes; not for Google documents.'),
    parents: list(text('ID of a folder.'), 'Chat or mailbox.'),
    webViewLink: text('URL in the web app.'),
    createdTime: text('RFC 3339 timestamp.'),
    modifiedTime: text('RFC 3339 timestamp.'),
    trashed: flag('Whether it is in the trash.'),
    owners: list(object({}, '`emailAddress`.', { open: true }), 'Name.'),
  },
  ['id'],
);

export const ROLE = choice(['reader', 'commenter', 'writer'], 'Access role.', { default: 'reader' });
