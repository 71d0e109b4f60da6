import { CASE_SECRET, type NodeCase } from '../node-case';

const URL = `postgres://ada:${CASE_SECRET}@db.example.com/shop`;
const MONGO = `mongodb://ada:${CASE_SECRET}@db.example.com/shop`;

const refused = (title: string, input: NodeCase['input'], message: string): NodeCase => ({
  title,
  input: { driver: 'postgres', connection: URL, ...input },
  outcome: { kind: 'fail', error: { code: 'invalid_config', message }, retryable: false },
});

const mongo = (title: string, input: NodeCase['input'], message: string): NodeCase =>
  refused(title, { driver: 'mongodb', connection: MONGO, ...input }, message);

/** What needs no server; the rest is in the tests with real ones. */
export const cases: NodeCase[] = [
  refused('SQL without a statement', {}, '"query" is missing'),
  refused('a time-out of nothing', { query: 'select 1', timeout: 0 }, '"timeout"'),
  refused(
    "a URL of another driver's",
    { query: 'select 1', driver: 'mysql' },
    '"connection": it must look like mysql://user:password@host:3306/database',
  ),
  refused(
    'a URL with a file of this process',
    { query: 'select 1', connection: `${URL}?sslkey=/etc/passwd` },
    '"sslkey"',
  ),
  refused('no user', { query: 'select 1', connection: { host: 'db.example.com' } }, 'it must name a user'),
  mongo('MongoDB without an operation', { collection: 'items' }, '"operation" is missing'),
  mongo('MongoDB without a collection', { operation: 'find' }, '"collection" is missing'),
  mongo(
    'an update without a filter',
    { operation: 'update', collection: 'a', update: { $set: { a: 1 } } },
    '"filter" is missing',
  ),
  mongo('a deletion without a filter', { operation: 'delete', collection: 'a' }, '"filter" is missing'),
  mongo(
    'an update that replaces',
    { operation: 'update', collection: 'a', filter: {}, update: { a: 1 } },
    'operators such as',
  ),
  mongo(
    'a change that only reads',
    { operation: 'insert', collection: 'a', documents: [{}], read_only: true },
    'the operation changes something',
  ),
  ...['postgres', 'mysql'].map(
    (driver): NodeCase => ({
      title: `server unreachable, of ${driver}`,
      input: { driver, query: 'select 1', connection: { host: 'db.example.com', user: 'ada', password: CASE_SECRET } },
      outcome: { kind: 'fail', error: { code: 'database_connect', message: `${driver}: ` }, retryable: true },
    }),
  ),
  {
    title: 'server unreachable, of mongodb',
    input: { driver: 'mongodb', operation: 'find', collection: 'items', connection: MONGO },
    outcome: { kind: 'fail', error: { code: 'database_connect', message: 'mongodb: ' }, retryable: true },
  },
];
