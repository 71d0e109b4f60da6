import type { NodeManifest } from '../../manifest';
import { atMostOneOf, durationSchema, objectSchema } from '../../schema';
import { effectOf, OPERATIONS } from './input';

const properties = {
  operation: { type: 'string', title: 'Operation', enum: [...OPERATIONS] },
  bucket: { type: 'string', title: 'Bucket', minLength: 2, maxLength: 63, examples: ['invoices'] },
  key: { type: 'string', title: 'Key', minLength: 1, maxLength: 1_024, examples: ['2026/{{ trigger.body.id }}.pdf'] },
  credentials: {
    title: 'Credentials',
    ...objectSchema(
      {
        access_key_id: { type: 'string', title: 'Access key', minLength: 1, maxLength: 256 },
        secret_access_key: { type: 'string', title: 'Secret key', minLength: 1, maxLength: 1_024 },
        session_token: { type: 'string', title: 'Session token', maxLength: 8_192 },
      },
      ['access_key_id', 'secret_access_key'],
    ),
    examples: [{ access_key_id: '{{ secret.S3_ACCESS_KEY }}', secret_access_key: '{{ secret.S3_SECRET_KEY }}' }],
  },
  region: { type: 'string', title: 'Region', default: 'us-east-1', examples: ['eu-central-1'] },
  endpoint: {
    type: 'string',
    title: 'Endpoint',
    description: 'Of a store that speaks S3 and is not Amazon.',
    examples: ['https://minio.example.com:9000'],
  },
  path_style: {
    type: 'boolean',
    title: 'Bucket in the path',
    description: 'Else in the host. True where there is an endpoint, unless it says so.',
  },
  body: { title: 'Content', description: 'Text as it is, any other value as JSON.', examples: ['Hello', { id: 4711 }] },
  body_base64: { type: 'string', title: 'Content, in base64', examples: ['iVBORw=='] },
  content_type: { type: 'string', title: 'Type of the content', maxLength: 255, examples: ['application/pdf'] },
  metadata: {
    type: 'object',
    title: 'Metadata',
    description: 'Words kept with the object.',
    additionalProperties: { type: 'string', maxLength: 2_048 },
    maxProperties: 50,
    default: {},
    examples: [{ order: '4711' }],
  },
  response: {
    type: 'string',
    title: 'Read the content as',
    description: '`auto` parses JSON, leaves text as text, and gives anything else in base64.',
    enum: ['auto', 'json', 'text', 'base64'],
    default: 'auto',
  },
  prefix: {
    type: 'string',
    title: 'Prefix',
    description: 'Of the keys in a list.',
    maxLength: 1_024,
    examples: ['2026/'],
  },
  delimiter: {
    type: 'string',
    title: 'Delimiter',
    description: 'Keys are listed up to it, once.',
    minLength: 1,
    maxLength: 16,
    examples: ['/'],
  },
  max_keys: {
    type: 'integer',
    title: 'Keys at most',
    description: 'In a list.',
    minimum: 1,
    maximum: 1_000,
    default: 1_000,
  },
  continuation_token: {
    type: 'string',
    title: 'Go on at',
    description: 'The `next_token` of the list before.',
    maxLength: 8_192,
    examples: ['{{ steps.page.next_token }}'],
  },
  method: { type: 'string', title: 'Method of the link', enum: ['GET', 'PUT'], default: 'GET' },
  expires: durationSchema('Link counts for', 'At most 7 days; 1 h unless it says so.', '15m'),
  timeout: durationSchema('Time-out', 'For the whole exchange; 60 s unless it says so.', '20s'),
} as const;

export const manifest: NodeManifest = {
  type: 's3',
  version: 1,
  title: 'Object store (S3)',
  description: 'Reads, writes, lists and links objects in Amazon S3, or a store that speaks its protocol.',
  category: 'Storage',
  effect: effectOf,
  // To put the same object again, or to delete it again, changes nothing.
  onInterrupted: 'retry',
  input: objectSchema(properties, ['operation', 'bucket', 'credentials'], atMostOneOf('body', 'body_base64')),
  output: objectSchema({
    body: { title: 'Content' },
    exists: { type: 'boolean', title: 'It is there' },
    deleted: { type: 'boolean', title: 'It is gone' },
    content_type: { type: 'string', title: 'Type' },
    size: { type: 'integer', title: 'Bytes' },
    etag: { type: 'string', title: 'ETag' },
    version_id: { type: 'string', title: 'Version' },
    last_modified: { type: 'string', title: 'Changed' },
    metadata: { type: 'object', title: 'Metadata' },
    objects: {
      type: 'array',
      title: 'Objects',
      description: '`key`, `size`, `etag`, `last_modified`.',
      items: { type: 'object' },
    },
    prefixes: { type: 'array', title: 'Prefixes', items: { type: 'string' } },
    truncated: { type: 'boolean', title: 'There are more' },
    next_token: { type: 'string', title: 'Where the next list begins' },
    url: { type: 'string', title: 'Link' },
    expires_at: { type: 'string', title: 'Until when the link counts' },
  }),
};
