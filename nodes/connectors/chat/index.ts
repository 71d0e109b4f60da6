import { bearer } from '../auth';
import type { Connector } from '../contract';
import { directory } from './directory';
import { fault } from './fault';
import { messages } from './messages';
import { uploadFile } from './upload';

/** The Web API of Slack. */
export const chat: Connector = {
  name: 'chat',
  aliases: ['slack'],
  title: 'Slack',
  description: 'Messages, channels, users and files of a Slack workspace.',
  category: 'Communication',
  docs: 'https://docs.slack.dev/reference/methods',
  auth: {
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
        description: 'A bot or user token of an app that is installed in the workspace.',
        secret: true,
        required: true,
        example: 'xoxb-...',
      },
    ],
    required: true,
  },
  base: () => 'https://slack.com/api',
  sign: bearer('access_token'),
  fault,
  probe: { action: 'whoami', input: {} },
  actions: [...messages, ...directory, uploadFile],
};
