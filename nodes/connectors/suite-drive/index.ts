import { suiteConnector } from '../suite/connector';
import { content } from './content';
import { files } from './files';

/** The API of Google Drive, version 3. */
export const suiteDrive = suiteConnector(
  {
    name: 'suite-drive',
    aliases: ['google_drive', 'gdrive'],
    title: 'Google Drive',
    description: 'Manage files and folders in Google Drive.',
    category: 'Storage',
    docs: 'https://developers.google.com/workspace/drive/api/reference/rest/v3',
    connectionTest: { action: 'about', input: {} },
    actions: [...files, ...content],
  },
  'https://www.googleapis.com',
  ['drive'],
);
