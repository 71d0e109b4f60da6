import { bearer } from '../auth';
import { graphFault } from '../meta/fault';
import { isInstagram, messages } from './messages';
import { defineConnector } from '../define';

/** The Send API of Messenger and Instagram. */
export const messagingB = defineConnector({
  name: 'messaging-b',
  aliases: ['messenger', 'facebook_messenger', 'instagram'],
  title: 'Messenger and Instagram',
  description: 'Send messages of a Messenger page or an Instagram professional account.',
  category: 'Communication',
  docs: 'https://developers.facebook.com/docs/messenger-platform/reference/send-api',

  fields: [
    {
      name: 'access_token',
      title: 'Access token',
      description: 'Access token of the page or Instagram account.',
      secret: true,
      required: true,
      example: 'EAAJ...',
    },
    {
      name: 'page_id',
      title: 'Page',
      description: 'ID of the page or account. Default: that of the token.',
      secret: false,
      required: false,
      example: '106540352242922',
    },
    {
      name: 'platform',
      title: 'Platform',
      description: '`page`, or `instagram` for an account connected without a page.',
      secret: false,
      required: false,
      default: 'page',
      example: 'page',
    },
  ],
  base: (account) => (isInstagram(account) ? 'https://graph.instagram.com' : 'https://graph.facebook.com'),
  sign: bearer('access_token'),
  fault: graphFault,
  connectionTest: 'whoami',
  actions: messages,
});
