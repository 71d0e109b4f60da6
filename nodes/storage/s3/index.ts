import { defineNode } from '../../contract/define';
import { atMostOneOf, choice, durationSchema, filledText, flag, integer, list, objectSchema, text } from '../../schema';
import { effectOf, OPERATIONS } from './input';
import { run } from './run';

const properties = {
  operation: choice([...OPERATIONS], 'Operation on the bucket or an object.'),
  bucket: text('Name of the bucket.', 'invoices', { minLength: 2, maxLength: 63 }),
  key: filledText('Key of the object, for every operation but list.', '2026/{{ trigger.body.id }}.pdf', {
    maxLength: 1_024,
  }),
  credentials: {
    title: 'Credentials',
    description: 'Credentials with the required permissions, preferably from secrets.',
    ...objectSchema(
      {
        access_key_id: filledText('Access key ID.', { title: 'Access key', maxLength: 256 }),
        secret_access_key: filledText('Secret access key.', { title: 'Secret key', maxLength: 1_024 }),
        session_token: text('Session token of temporary credentials.', { maxLength: 8_192 }),
      },
      ['access_key_id', 'secret_access_key'],
    ),
    examples: [{ access_key_id: '{{ secret.S3_ACCESS_KEY }}', secret_access_key: '{{ secret.S3_SECRET_KEY }}' }],
  },
  region: text('Region of the bucket.', 'eu-central-1', { default: 'us-east-1' }),
  endpoint: text('URL of an S3-compatible store. Default: Amazon S3.', 'https://minio.example.com:9000'),
  path_style: flag('Puts the bucket into the path instead of the host name. Default: true with an endpoint.', {
    title: 'Path-style addressing',
  }),
  body: { title: 'Content', description: 'Anything but text is written as JSON.', examples: ['Hello', { id: 4711 }] },
  body_base64: text('Binary content.', 'iVBORw==', { title: 'Content, in base64' }),
  content_type: text('Media type of the object. Default: detected from the content.', 'application/pdf', {
    title: 'Content type',
    maxLength: 255,
  }),
  metadata: {
    type: 'object',
    title: 'Metadata',
    description: 'Metadata of the object.',
    additionalProperties: { type: 'string', maxLength: 2_048 },
    maxProperties: 50,
    default: {},
    examples: [{ order: '4711' }],
  },
  response: choice(
    ['auto', 'json', 'text', 'base64'],
    '`auto` parses JSON, keeps text, and encodes anything else in base64.',
    { title: 'Response format', default: 'auto' },
  ),
  prefix: text('Prefix of the listed keys.', '2026/', { maxLength: 1_024 }),
  delimiter: filledText('Groups keys by the part before the delimiter.', '/', { maxLength: 16 }),
  max_keys: integer('Maximum number of listed keys.', { minimum: 1, maximum: 1_000, default: 1_000 }),
  continuation_token: text('The `next_token` of the previous list.', '{{ steps.page.next_token }}', {
    maxLength: 8_192,
  }),
  method: choice(['GET', 'PUT'], 'Method of the presigned URL: read or write.', { default: 'GET' }),
  expires: durationSchema('Expires', 'At most 7 days. Default: 1 h.', '15m'),
  timeout: durationSchema('Time-out', 'For the whole exchange. Default: 60 s.', '20s'),
} as const;

export const s3Node = defineNode({
  type: 's3',
  title: 'Object store (S3)',
  description: 'Reads, writes, lists and shares objects in Amazon S3 and compatible stores.',
  category: 'Storage',
  effect: effectOf,
  // To put the same object again, or to delete it again, changes nothing.
  onInterrupted: 'retry',
  input: objectSchema(properties, ['operation', 'bucket', 'credentials'], atMostOneOf('body', 'body_base64')),
  output: objectSchema({
    body: { title: 'Content', description: 'Content, for get, in the format of `response`.' },
    exists: flag('For head and get.'),
    deleted: flag('For delete, even if the object did not exist.'),
    content_type: text('Media type of the object.', { title: 'Type' }),
    size: integer('Size in bytes.', { title: 'Bytes' }),
    etag: text('Entity tag; changes with the content.', { title: 'ETag' }),
    version_id: text('Version ID, if the bucket has versioning.', { title: 'Version' }),
    last_modified: text('Last modification, ISO 8601.', { title: 'Changed' }),
    metadata: { type: 'object', title: 'Metadata', description: 'Metadata of the object.' },
    objects: list({ type: 'object' }, '`key`, `size`, `etag`, `last_modified`.'),
    prefixes: list({ type: 'string' }, 'For a list with a delimiter.'),
    truncated: flag('Whether there are more keys.'),
    next_token: text('For `continuation_token`.'),
    url: text('Presigned URL.', { title: 'Link' }),
    expires_at: text('Expiry of the URL, ISO 8601.'),
  }),
  run,
});
