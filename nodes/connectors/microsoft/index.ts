import { bearer } from '../auth';
import { text, outputOf } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, readAction } from '../define';
import { codeAt, faultFrom } from '../http/error-text';
import { messageAt } from '../http/fault';
import { calendar } from './calendar';
import { excel } from './excel';
import { files } from './files';
import { mail } from './mail';
import { teams } from './teams';

/** Microsoft Graph, version 1.0: one account for mail, calendar, files, workbooks and chats. */
export const microsoft = defineConnector({
  name: 'microsoft',
  aliases: ['microsoft_365', 'office_365', 'outlook', 'onedrive'],
  title: 'Microsoft 365',
  description: 'Mail and calendar of Outlook, files in OneDrive and SharePoint, Excel, and chats in Teams.',
  category: 'Productivity',
  docs: 'https://learn.microsoft.com/graph/api/overview?view=graph-rest-1.0',

  fields: [
    secretField(
      'access_token',
      'Access token',
      'Access token for Microsoft Graph, valid for about an hour; connect by an OAuth app for automatic refresh.',
      'eyJ0eXAiOiJKV1QiLCJub25jZSI6...',
    ),
  ],
  base: 'https://graph.microsoft.com/v1.0',
  sign: bearer('access_token'),
  fault: faultFrom({ message: [messageAt('error', 'message')], code: codeAt('error.code') }),
  connectionTest: 'get_me',
  actions: [
    readAction('get_me', 'Returns the account of the connection.', {
      output: outputOf(
        {
          id: text('ID of the account.'),
          displayName: text('Name.'),
          mail: text('Email address.'),
          userPrincipalName: text('Name for signing in.'),
        },
        ['id'],
      ),
      call: 'GET /me',
    }),
    ...mail,
    ...calendar,
    ...files,
    ...excel,
    ...teams,
  ],
});
