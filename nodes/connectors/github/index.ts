import { allOf, withDefaultHeaders, bearer } from '../auth';
import type { ConnectorResponse } from '../contract';
import { messageAt, type TextReader } from '../http/fault';
import { bodyAt } from '../http/pages';
import { timeInHeader, faultFrom } from '../http/error-text';
import { issues } from './issues';
import { repositories } from './repositories';
import { secretField } from '../credentials';
import { defineConnector } from '../define';

/** GitHub also returns 403 for rate limits; then no requests remain, or there is a Retry-After header. */
const isLimit = ({ status, headers }: ConnectorResponse): boolean =>
  status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after'] !== undefined);

/** The message with its field: `Validation Failed (title: missing_field)`. */
const sentence: TextReader = (response) => {
  const message = messageAt('message')(response);
  const [field, code] = ['field', 'code'].map((name) => bodyAt(response, `errors[0].${name}`));
  const why = messageAt('errors', 0, 'message')(response) ?? (typeof code === 'string' ? `${field}: ${code}` : null);
  return message === null || why === null ? message : `${message} (${why})`;
};

export const github = defineConnector({
  name: 'github',
  title: 'GitHub',
  description: 'Manage issues, pull requests, files and workflows of repositories.',
  category: 'Development',
  docs: 'https://docs.github.com/en/rest',

  fields: [
    secretField(
      'token',
      'Access token',
      'Fine-grained or classic personal access token with the permissions that the actions need.',
      'github_pat_11ABCDEFG0123456789',
    ),
  ],
  base: 'https://api.github.com',
  sign: allOf(
    // Requests without a user agent are refused.
    withDefaultHeaders({
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      'user-agent': 'Everstep',
    }),
    bearer('token'),
  ),
  fault: faultFrom({ message: [sentence], retryable: isLimit, retryAfterMs: timeInHeader('x-ratelimit-reset') }),
  connectionTest: 'get_me',
  actions: [...repositories, ...issues],
});
