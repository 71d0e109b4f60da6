import { all, always, bearer } from '../auth';
import type { Connector, ConnectorAnswer } from '../contract';
import { hidden } from '../define';
import { messageAt, type Words } from '../http/fault';
import { bodyAt } from '../http/pages';
import { untilIn, worded } from '../http/error-text';
import { issues } from './issues';
import { repositories } from './repositories';

/** GitHub says 403 as well where too much was asked for; then nothing remains, or it says when to come back. */
const isLimit = ({ status, headers }: ConnectorAnswer): boolean =>
  status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined);

/** The message with what it is about: `Validation Failed (title: missing_field)`. */
const sentence: Words = (answer) => {
  const message = messageAt('message')(answer);
  const [field, code] = ['field', 'code'].map((name) => bodyAt(answer, `errors[0].${name}`));
  const why = messageAt('errors', 0, 'message')(answer) ?? (typeof code === 'string' ? `${field}: ${code}` : null);
  return message === null || why === null ? message : `${message} (${why})`;
};

export const github: Connector = {
  name: 'github',
  title: 'GitHub',
  description: 'Issues, pull requests, files and workflows of repositories.',
  category: 'Development',
  docs: 'https://docs.github.com/en/rest',
  auth: {
    required: true,
    fields: [
      hidden(
        'token',
        'Access token',
        'A personal access token, fine-grained or classic, with the rights that the actions need.',
        'github_pat_11ABCDEFG0123456789',
      ),
    ],
  },
  base: () => 'https://api.github.com',
  sign: all(
    // Requests without a user agent are refused.
    always({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28', 'user-agent': 'Everstep' }),
    bearer('token'),
  ),
  fault: worded({ message: [sentence], passing: isLimit, wait: untilIn('x-ratelimit-reset') }),
  probe: { action: 'get_me', input: {} },
  actions: [...repositories, ...issues],
};
