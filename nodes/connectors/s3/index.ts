import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../contract';
import { s3Node } from '../../storage/s3';
import { run } from '../../storage/s3/run';
import type { CodeAction } from '../contract';
import { delegateToStep, connectionOf } from '../delegate';
import { plainField, secretField } from '../credentials';
import { defineConnector } from '../define';

const { properties } = s3Node.input;

/** A member of the configuration of the step type `s3`. */
function member(name: string): JsonSchema {
  const schema: unknown = isObject(properties) ? properties[name] : undefined;
  if (!isObject(schema)) throw new Error(`s3 has no ${name}`);
  return schema;
}

const action = (
  name: 'get' | 'put' | 'delete' | 'list' | 'head' | 'presign',
  title: string,
  description: string,
  { needs = [], may = [] }: { readonly needs?: readonly string[]; readonly may?: readonly string[] },
): CodeAction => {
  const effect = name === 'put' || name === 'delete' ? 'write' : 'read';
  return {
    kind: 'code',
    name,
    title,
    description,
    effect,
    // To put the same object again, or to delete it again, changes nothing.
    repeatable: true,
    input: Object.fromEntries([...needs, 'bucket', ...may, 'timeout'].map((key) => [key, member(key)])),
    required: needs,
    output: s3Node.output,
    run: delegateToStep(run, (input, credentials) => ({
      ...connectionOf(credentials, ['endpoint', 'region', 'bucket', 'path_style'], { flags: ['path_style'] }),
      ...input,
      operation: name,
      credentials: connectionOf(credentials, ['access_key_id', 'secret_access_key', 'session_token']),
    })),
  };
};

export const s3 = defineConnector({
  name: 's3',
  title: 'Object store (S3)',
  description: 'Read, write, list and share objects in Amazon S3 and compatible stores.',
  category: 'Storage',
  docs: 'https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html',

  fields: [
    plainField('access_key_id', 'Access key', 'Access key ID.', 'AKIAIOSFODNN7EXAMPLE'),
    secretField('secret_access_key', 'Secret key', 'Secret access key.', undefined),
    secretField('session_token', 'Session token', 'Session token of temporary credentials.', {
      required: false,
    }),
    plainField('bucket', 'Bucket', 'Default bucket.', 'reports'),
    plainField('region', 'Region', 'Region of the bucket.', 'eu-central-1', { required: false, default: 'us-east-1' }),
    plainField(
      'endpoint',
      'Endpoint',
      'URL of a compatible store. Default: Amazon S3.',
      'https://minio.example.com:9000',
      { required: false, format: 'url' },
    ),
    plainField(
      'path_style',
      'Bucket in the path',
      'Puts the bucket into the path instead of the host name. Default: true with an endpoint.',
      { required: false, format: 'flag' },
    ),
  ],
  base: '',
  sign: (request) => request,
  connectionTest: { action: 'list', input: { max_keys: 1 } },
  actions: [
    action('get', 'Read an object', 'Returns the content of an object.', { needs: ['key'], may: ['response'] }),
    action('put', 'Write an object', 'Stores content under a key.', {
      needs: ['key'],
      may: ['body', 'body_base64', 'content_type', 'metadata'],
    }),
    action('delete', 'Delete an object', 'Deletes an object; a missing one is not an error.', { needs: ['key'] }),
    action('list', 'List objects', 'Lists keys, sizes and times of objects.', {
      may: ['prefix', 'delimiter', 'max_keys', 'continuation_token'],
    }),
    action('head', 'Get object metadata', 'Returns metadata of an object without its content.', { needs: ['key'] }),
    action('presign', 'Create a presigned URL', 'Creates a presigned URL that is valid for a limited time.', {
      needs: ['key'],
      may: ['method', 'expires'],
    }),
  ],
});
