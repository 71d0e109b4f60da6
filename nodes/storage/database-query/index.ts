import type { JsonSchema } from '../../contract';
import { defineNode } from '../../contract/define';
import { choice, durationSchema, filledText, flag, integer, list, objectSchema, text } from '../../schema';
import { connectionSchema } from '../connection-schema';
import { DEFAULT_MAX_ROWS, effectOf, OPERATIONS } from './input';
import { run } from './run';

const connection = connectionSchema(
  'URL, preferably from a secret, or its parts. TLS with certificate verification is used unless sslmode says otherwise; for MongoDB, add tls=true to the URL.',
  {
    database: text('Name of the database.', { maxLength: 255 }),
    sslmode: choice(
      ['verify-full', 'verify-ca', 'require', 'disable'],
      '`verify-full` by default; `require` encrypts without a certificate check.',
      { title: 'TLS' },
    ),
    auth_source: text('Authentication database, for MongoDB.', { title: 'Database of the user', maxLength: 255 }),
  },
  [
    '{{ secret.DATABASE_URL }}',
    { host: 'db.example.com', database: 'shop', user: 'shop', password: '{{ secret.DATABASE_PASSWORD }}' },
  ],
);

const object = (title: string, description: string, example: unknown): JsonSchema => ({
  type: 'object',
  title,
  description,
  examples: [example],
});

const objects = (title: string, description: string, example: readonly unknown[]): JsonSchema =>
  list({ type: 'object' }, description, example, { title });

const properties = {
  driver: choice(['postgres', 'mysql', 'mongodb'], 'Type of database.', { title: 'Database' }),
  connection,
  query: filledText(
    'One statement. Pass values as parameters: $1, $2 for PostgreSQL, ? for MySQL.',
    'select id, total from orders where customer = $1',
    { title: 'SQL', maxLength: 1_000_000 },
  ),
  params: {
    type: 'array',
    title: 'Parameters',
    description: 'Parameters in order. Objects are sent as JSON.',
    maxItems: 10_000,
    default: [],
    examples: [['{{ trigger.body.customer }}']],
  },
  read_only: flag('The database refuses changes, and the step is retried after a crash without asking a person.', {
    default: false,
  }),
  max_rows: integer('Maximum number of rows; `truncated` tells whether there were more. At most 8 MiB.', {
    minimum: 1,
    maximum: 10_000,
    default: DEFAULT_MAX_ROWS,
  }),
  timeout: durationSchema('Time-out', 'For connecting and the result. Default: 30 s.', '20s'),
  operation: choice([...OPERATIONS], 'For MongoDB.'),
  database: filledText('For MongoDB. Default: that of the URL.', 'shop', {
    title: 'Database of the operation',
    maxLength: 63,
  }),
  collection: filledText('For MongoDB.', 'orders', { maxLength: 255 }),
  filter: object('Filter', 'Which documents; {} for all. Extended JSON, as {"$oid": "..."}, stands for its values.', {
    customer: 'ada',
    total: { $gt: 100 },
  }),
  projection: object('Projection', 'Which members of what is found.', { total: 1 }),
  sort: object('Sort', 'By which members of what is found.', { total: -1 }),
  skip: integer('Number of documents to skip.', 100, { minimum: 0 }),
  field: filledText('Field with the distinct values.', 'customer'),
  pipeline: objects('Pipeline', 'Stages of an aggregation.', [
    { $group: { _id: '$customer', total: { $sum: '$total' } } },
  ]),
  documents: {
    ...objects('Documents', 'To be put in.', [{ customer: 'ada', total: 12 }]),
    minItems: 1,
    maxItems: 10_000,
  },
  update: {
    title: 'Update',
    description: 'Update operators such as $set, or pipeline stages.',
    anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
    examples: [{ $set: { paid: true } }],
  },
  many: flag('Updates or deletes all matching documents instead of one.', { default: false }),
  upsert: flag('Inserts a document if none matches.', { default: false }),
} as const;

export const databaseQueryNode = defineNode({
  type: 'database_query',
  title: 'Query a database',
  description: 'Queries or changes a PostgreSQL, MySQL or MongoDB database.',
  category: 'Storage',
  effect: effectOf,
  // A change that was under way may have been made; what only reads is repeated without a question.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['driver', 'connection']),
  output: objectSchema(
    {
      rows: list({ type: 'object' }, 'Exact numbers (64-bit, decimal) are text, bytes base64, times ISO 8601.'),
      count: integer('Number of returned rows.', { title: 'Number of rows' }),
      affected: {
        title: 'Affected rows',
        description: 'Number of changed rows; null for a statement that reads.',
        anyOf: [{ type: 'integer' }, { type: 'null' }],
      },
      truncated: flag('True if there were more rows.'),
      ids: {
        type: 'array',
        title: 'Inserted IDs',
        description: 'For MongoDB, in the order of the documents.',
      },
    },
    ['rows', 'count', 'affected', 'truncated'],
  ),
  run,
});
