import { plainField, secretField } from '../credentials';
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
    secretField('access_token', 'Access token', 'Access token of the page or Instagram account.', 'EAAJ...'),
    plainField('page_id', 'Page', 'ID of the page or account. Default: that of the token.', '106540352242922', {
      required: false,
    }),
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
