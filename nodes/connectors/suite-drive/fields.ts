import { choice, flag, list, object, outputOf, text } from '../schemas';

export const FILE_ID = text('File', 'Id of the file or folder.', '0B0lVr5kVtBlTU0dSZFF3Rm1jTXM', {
  minLength: 1,
  maxLength: 200,
});

export const FOLDER_ID = text('Folder', 'Id of the folder; `root` for the top.', '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g', {
  minLength: 1,
  maxLength: 200,
});

export const NAME = text('Name', 'How people see it.', 'orders.csv', { minLength: 1, maxLength: 1_000 });

export const MIME_TYPE = text('Type', 'A media type.', 'text/csv', {
  pattern: '^[\\w.+-]+/[\\w.+-]+(?:; ?charset=[\\w-]+)?$',
  maxLength: 200,
});

/** The output fields of a file. */
export const FILE_FIELDS =
  'id,name,mimeType,size,parents,webViewLink,createdTime,modifiedTime,trashed,owners(emailAddress)';

export const FILE = outputOf(
  {
    id: text('Id', 'Id of the file.'),
    name: text('Name', 'Its name.'),
    mimeType: text('Type', 'Its type; that of a folder for one.'),
    size: text('Size', 'In bytes; documents of the suite have none.'),
    parents: list(text('Folder', 'Id of a folder.'), 'Folders', 'Where it is.'),
    webViewLink: text('Link', 'Where people look at it.'),
    createdTime: text('Created', 'When, as RFC 3339.'),
    modifiedTime: text('Changed', 'When, as RFC 3339.'),
    trashed: flag('In the trash', 'Whether it is there.'),
    owners: list(object({}, 'Owner', '`emailAddress`.', { open: true }), 'Owners', 'Whose it is.'),
  },
  ['id'],
);

export const ROLE = choice(['reader', 'commenter', 'writer'], 'Role', 'What one may do with it.', {
  default: 'reader',
});
