import { bearer } from '../auth';
import { directory } from './directory';
import { fault } from './fault';
import { messages } from './messages';
import { uploadFile } from './upload';
import { defineConnector } from '../define';

/** The Web API of Slack. */
export const chat = defineConnector({
  name: 'chat',
  aliases: ['slack'],
  title: 'Slack',
  description: 'Send and read messages; list channels and users; upload files in Slack.',
  category: 'Communication',
  docs: 'https://docs.slack.dev/reference/methods',

  oauth: {
    provider: 'chat',
    scopes: [
      'chat:write',
      'chat:write.customize',
      'channels:read',
      'channels:history',
      'groups:read',
      'groups:history',
      'im:read',
      'im:write',
      'im:history',
      'mpim:read',
      'mpim:write',
      'mpim:history',
      'users:read',
      'users:read.email',
      'reactions:write',
      'files:write',
    ],
  },
  fields: [
    {
      name: 'access_token',
      title: 'Token',
      description: 'Bot or user token of an app that is installed in the workspace.',
      secret: true,
      required: true,
      example: 'xoxb-...',
    },
  ],
  base: 'https://slack.com/api',
  sign: bearer('access_token'),
  fault,
  connectionTest: 'whoami',
  actions: [...messages, ...directory, uploadFile],
});
