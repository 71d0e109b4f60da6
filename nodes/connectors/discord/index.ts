import { allOf, withDefaultHeaders, headerKey } from '../auth';
import { actions } from './actions';
import { fault } from './fault';
import { secretField } from '../credentials';
import { defineConnector } from '../define';

export const discord = defineConnector({
  name: 'discord',
  title: 'Discord',
  description: 'Send and read messages with a bot.',
  category: 'Communication',
  docs: 'https://discord.com/developers/docs/reference',

  fields: [
    secretField('bot_token', 'Bot token', 'Developer Portal > your application > Bot.', 'MTIzNDU2Nzg5.abcdef.ghijkl'),
  ],
  base: 'https://discord.com/api/v10',
  // Others than this form of user agent may be refused.
  sign: allOf(
    withDefaultHeaders({ 'user-agent': 'DiscordBot (https://everstep.example, 1)' }),
    headerKey('authorization', 'bot_token', 'Bot '),
  ),
  fault,
  connectionTest: 'get_me',
  actions,
});
