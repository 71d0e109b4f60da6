import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../contract';
import { s3Node } from '../../storage/s3';
import { run } from '../../storage/s3/run';
import type { CodeAction, Connector } from '../contract';
import { asStep, connectionOf } from '../delegate';
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
    run: asStep(run, (input, credentials) => ({
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
  description: 'Reads, writes, lists and links objects in Amazon S3, or a store that speaks its protocol.',
  category: 'Storage',
  docs: 'https://docs.aws.amazon.com/AmazonS3/latest/API/Welcome.html',

  fields: [
    plainField('access_key_id', 'Access key', 'Id of the key.', 'AKIAIOSFODNN7EXAMPLE'),
    secretField('secret_access_key', 'Secret key', 'What requests are signed with.', undefined),
    secretField('session_token', 'Session token', 'Of credentials that count for a while.', undefined, {
      required: false,
    }),
    plainField('bucket', 'Bucket', 'Of steps that name none.', 'reports'),
    plainField('region', 'Region', 'Where the bucket is.', 'eu-central-1', { required: false, default: 'us-east-1' }),
    plainField('endpoint', 'Endpoint', 'Of a store that is not Amazon.', 'https://minio.example.com:9000', {
      required: false,
      format: 'url',
    }),
    plainField('path_style', 'Bucket in the path', 'Else in the host. True where there is an endpoint.', undefined, {
      required: false,
      format: 'flag',
    }),
  ],
  base: '',
  sign: (request) => request,
  probe: { action: 'list', input: { max_keys: 1 } },
  actions: [
    action('get', 'Read an object', 'Gives the content of an object.', { needs: ['key'], may: ['response'] }),
    action('put', 'Write an object', 'Keeps content under a key.', {
      needs: ['key'],
      may: ['body', 'body_base64', 'content_type', 'metadata'],
    }),
    action('delete', 'Delete an object', 'Forgets an object; none is as good as gone.', { needs: ['key'] }),
    action('list', 'List objects', 'Gives keys, sizes and times of objects.', {
      may: ['prefix', 'delimiter', 'max_keys', 'continuation_token'],
    }),
    action('head', 'Look at an object', 'Tells of an object without its content.', { needs: ['key'] }),
    action('presign', 'Link an object', 'Makes a link that counts without credentials for a while.', {
      needs: ['key'],
      may: ['method', 'expires'],
    }),
  ],
});
