import { CASE_SECRET, type NodeCase } from '../node-case';

const URL = `redis://:${CASE_SECRET}@cache.example.com/0`;

const refused = (title: string, input: NodeCase['input'], message: string): NodeCase => ({
  title,
  input: { connection: URL, command: 'GET', args: ['a'], ...input },
  outcome: { kind: 'fail', error: { code: 'invalid_config', message }, retryable: false },
});

/** What needs no server; the rest is in the tests with a real one. */
export const cases: NodeCase[] = [
  ...[
    'KEYS',
    'eval',
    'FLUSHALL',
    'CONFIG',
    'SUBSCRIBE',
    'BLPOP',
    'SHUTDOWN',
    'MULTI',
    'XREAD',
    'GET a',
    'constructor',
  ].map((command) => refused(`${command} is not taken`, { command }, `the command "${command}" is not taken`)),
  ...['http://cache', 'redis://', 'redis://cache/x', `redis://:${CASE_SECRET}@cache?a=b`, 'cache:6379'].map(
    (connection) =>
      refused(
        `${connection.replace(CASE_SECRET, '...')} is no connection`,
        { connection },
        '"connection" must look like',
      ),
  ),
  refused('a time-out of nothing', { timeout: 0 }, '"timeout"'),
  {
    title: 'server unreachable',
    input: { connection: { host: 'cache.example.com' }, command: 'get', args: ['a'] },
    outcome: { kind: 'fail', error: { code: 'redis_connect', message: 'Redis: ' }, retryable: true },
  },
];
