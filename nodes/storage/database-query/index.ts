import type { JsonSchema } from '../../contract';
import { defineNode } from '../../contract/define';
import { durationSchema, objectSchema } from '../../schema';
import { connectionSchema } from '../connection-schema';
import { DEFAULT_MAX_ROWS, effectOf, OPERATIONS } from './input';
import { run } from './run';

const connection = connectionSchema(
  'A URL, best from a secret, or its parts. TLS is used and the certificate verified unless sslmode says otherwise; for MongoDB, a URL says tls=true.',
  {
    database: { type: 'string', title: 'Database', description: 'Name of the database.', maxLength: 255 },
    sslmode: {
      type: 'string',
      title: 'TLS',
      description: '`verify-full` by default; `require` encrypts without a certificate check.',
      enum: ['verify-full', 'verify-ca', 'require', 'disable'],
    },
    auth_source: { type: 'string', title: 'Database of the user', description: 'For MongoDB.', maxLength: 255 },
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

const objects = (title: string, description: string, example: unknown): JsonSchema => ({
  type: 'array',
  title,
  description,
  items: { type: 'object' },
  examples: [example],
});

const properties = {
  driver: {
    type: 'string',
    title: 'Database',
    description: 'Which kind it is, and so how it is asked.',
    enum: ['postgres', 'mysql', 'mongodb'],
  },
  connection,
  query: {
    type: 'string',
    title: 'SQL',
    description: 'One statement. Values belong into the parameters: $1, $2 for PostgreSQL, ? for MySQL.',
    minLength: 1,
    maxLength: 1_000_000,
    examples: ['select id, total from orders where customer = $1'],
  },
  params: {
    type: 'array',
    title: 'Parameters',
    description: 'Of the statement, in order. Objects go as JSON.',
    maxItems: 10_000,
    default: [],
    examples: [['{{ trigger.body.customer }}']],
  },
  read_only: {
    type: 'boolean',
    title: 'Only reads',
    description: 'The database refuses changes; the step may be repeated after a crash without asking anybody.',
    default: false,
  },
  max_rows: {
    type: 'integer',
    title: 'Rows at most',
    description: 'More are cut off, and `truncated` says so; 8 MiB in any case.',
    minimum: 1,
    maximum: 10_000,
    default: DEFAULT_MAX_ROWS,
  },
  timeout: durationSchema('Time-out', 'For connecting and the answer; 30 s unless it says so.', '20s'),
  operation: { type: 'string', title: 'Operation', description: 'Of MongoDB.', enum: [...OPERATIONS] },
  database: {
    type: 'string',
    title: 'Database of the operation',
    description: 'Of MongoDB; that of the URL unless it says so.',
    minLength: 1,
    maxLength: 63,
    examples: ['shop'],
  },
  collection: {
    type: 'string',
    title: 'Collection',
    description: 'Of MongoDB.',
    minLength: 1,
    maxLength: 255,
    examples: ['orders'],
  },
  filter: object('Filter', 'Which documents; {} for all. Extended JSON, as {"$oid": "..."}, stands for its values.', {
    customer: 'ada',
    total: { $gt: 100 },
  }),
  projection: object('Projection', 'Which members of what is found.', { total: 1 }),
  sort: object('Sort', 'By which members of what is found.', { total: -1 }),
  skip: { type: 'integer', title: 'Skip', description: 'So many of what is found.', minimum: 0, examples: [100] },
  field: {
    type: 'string',
    title: 'Field',
    description: 'Whose values are distinct.',
    minLength: 1,
    examples: ['customer'],
  },
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
    description: 'Operators such as $set, or stages.',
    anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }],
    examples: [{ $set: { paid: true } }],
  },
  many: {
    type: 'boolean',
    title: 'All that fit',
    description: 'Changes all documents that fit, not one.',
    default: false,
  },
  upsert: {
    type: 'boolean',
    title: 'Put in if missing',
    description: 'When no document fits, one is made of the filter and the update.',
    default: false,
  },
} as const;

export const databaseQueryNode = defineNode({
  type: 'database_query',
  title: 'Query a database',
  description: 'Asks, or changes, a database of PostgreSQL, MySQL or MongoDB.',
  category: 'Storage',
  effect: effectOf,
  // A change that was under way may have been made; what only reads is repeated without a question.
  onInterrupted: 'ask',
  input: objectSchema(properties, ['driver', 'connection']),
  output: objectSchema(
    {
      rows: {
        type: 'array',
        title: 'Rows',
        description: 'Exact numbers (64-bit, decimal) are text, bytes base64, instants ISO 8601.',
        items: { type: 'object' },
      },
      count: { type: 'integer', title: 'Number of rows', description: 'As many as `rows` has.' },
      affected: {
        title: 'Rows changed',
        description: 'By a statement that changes; null for one that reads.',
        anyOf: [{ type: 'integer' }, { type: 'null' }],
      },
      truncated: { type: 'boolean', title: 'There were more', description: 'True when rows were cut off.' },
      ids: {
        type: 'array',
        title: 'Ids of what was put in',
        description: 'Of MongoDB, in the order of the documents.',
      },
    },
    ['rows', 'count', 'affected', 'truncated'],
  ),
  run,
});
