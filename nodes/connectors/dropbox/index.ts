import { bearer } from '../auth';
import type { Connector } from '../contract';
import { hidden } from '../define';
import { messageAt } from '../http/fault';
import { codeAt, secondsAt, worded } from '../http/words';
import { actions } from './actions';

export const dropbox: Connector = {
  name: 'dropbox',
  title: 'Dropbox',
  description: 'Files and folders: list, search, take from the web, share, move, delete.',
  category: 'storage',
  docs: 'https://www.dropbox.com/developers/documentation/http/documentation',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'Access token',
        'Of an app of yours: App Console. Tokens made there end after hours.',
        'sl.u.0123456789abcdef',
      ),
    ],
  },
  base: () => 'https://api.dropboxapi.com/2',
  sign: bearer('token'),
  fault: worded({
    message: [messageAt('error_summary')],
    code: codeAt('error[".tag"]'),
    wait: secondsAt('error.retry_after'),
  }),
  probe: { action: 'get_me', input: {} },
  actions,
};
