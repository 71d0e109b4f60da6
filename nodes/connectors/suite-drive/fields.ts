import { choice, filledText, flag, list, object, outputOf, text } from '../../schema';

export const FILE_ID = filledText('Id of the file or folder.', '0B0lVr5kVtBlTU0dSZFF3Rm1jTXM', {
  maxLength: 200,
});

export const FOLDER_ID = filledText('Id of the folder; `root` for the top.', '1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g', {
  maxLength: 200,
});

export const NAME = filledText('How people see it.', 'orders.csv', { maxLength: 1_000 });

export const MIME_TYPE = text('A media type.', 'text/csv', {
  pattern: '^[\\w.+-]+/[\\w.+-]+(?:; ?charset=[\\w-]+)?$',
  maxLength: 200,
});

/** The output fields of a file. */
export const FILE_FIELDS =
  'id,name,mimeType,size,parents,webViewLink,createdTime,modifiedTime,trashed,owners(emailAddress)';

export const FILE = outputOf(
  {
    id: text('Id of the file.'),
    name: text('Its name.'),
    mimeType: text('Its type; that of a folder for one.'),
    size: text('In bytes; documents of the suite have none.'),
    parents: list(text('Id of a folder.'), 'Where it is.'),
    webViewLink: text('Where people look at it.'),
    createdTime: text('When, as RFC 3339.'),
    modifiedTime: text('When, as RFC 3339.'),
    trashed: flag('Whether it is there.'),
    owners: list(object({}, '`emailAddress`.', { open: true }), 'Whose it is.'),
  },
  ['id'],
);

export const ROLE = choice(['reader', 'commenter', 'writer'], 'What one may do with it.', {
  default: 'reader',
});
