import { all, always, headerKey } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { actions } from './actions';
import { fault } from './fault';

export const discord: Connector = {
  name: 'discord',
  title: 'Discord',
  description: 'Messages in channels of servers that a bot of yours is in.',
  category: 'Communication',
  docs: 'https://discord.com/developers/docs/reference',
  auth: {
    required: true,
    fields: [
      hidden('bot_token', 'Bot token', 'Developer portal, your application, Bot.', 'MTIzNDU2Nzg5.abcdef.ghijkl'),
    ],
  },
  base: () => 'https://discord.com/api/v10',
  // Others than this form of user agent may be refused.
  sign: all(
    always({ 'user-agent': 'DiscordBot (https://everstep.example, 1)' }),
    headerKey('authorization', 'bot_token', 'Bot '),
  ),
  fault,
  probe: { action: 'get_me', input: {} },
  actions,
};
