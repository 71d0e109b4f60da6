import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, secondsIn, worded } from '../http/words';
import { actions } from './actions';

export const calendly: Connector = {
  name: 'calendly',
  title: 'Calendly',
  description: 'Kinds of meetings, meetings and who comes.',
  category: 'productivity',
  docs: 'https://developer.calendly.com/api-docs',
  auth: {
    required: true,
    fields: [hidden('token', 'Personal access token', 'Integrations, API and webhooks.', 'eyJraWQiOiIx.e30.abc')],
  },
  base: () => 'https://api.calendly.com',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('details', 0, 'message'), messageAt('message')],
    code: codeAt('title'),
    wait: secondsIn('x-ratelimit-reset'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
