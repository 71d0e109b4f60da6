import type { Json, JsonObject } from '../../../lib/json';
import { redisNode } from '../../storage/redis';
import { run } from '../../storage/redis/run';
import type { JsonSchema } from '../../contract';
import type { CodeAction } from '../contract';
import { delegateToStep, connectionOf } from '../delegate';
import { anyValue, filledText, integer, list } from '../../schema';
import { CA, HOST, plainField, portField, secretField } from '../credentials';
import { defineConnector } from '../define';

const FIELDS = ['host', 'port', 'user', 'password', 'database', 'tls', 'ca'];

const KEY = filledText('Key.', 'order:4711', { maxLength: 10_000 });
const VALUE = anyValue('Value; anything but text is stored as JSON.', 'paid');
const FIELD = filledText('Field of the hash.', 'state', { maxLength: 10_000 });

type CommandSpec = Pick<CodeAction, 'name' | 'title' | 'description' | 'effect'> & {
  readonly repeatable?: boolean;
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly command: (input: JsonObject) => { readonly command: Json; readonly args: Json[] };
};

const action = ({ command, repeatable, ...line }: CommandSpec): CodeAction => ({
  kind: 'code',
  ...line,
  repeatable: repeatable ?? line.effect === 'read',
  output: redisNode.output,
  run: delegateToStep(run, (input, credentials) => ({
    ...command(input),
    connection: connectionOf(credentials, FIELDS, { numbers: ['port', 'database'], flags: ['tls'] }),
  })),
});

const of = (input: JsonObject, ...names: readonly string[]): Json[] => names.map((name) => input[name] ?? '');

export const redis = defineConnector({
  name: 'redis',
  title: 'Redis',
  description: 'Read and write values of a Redis server.',
  category: 'Storage',
  docs: 'https://redis.io/docs/latest/commands/',

  fields: [
    HOST,
    portField(6_379),
    plainField('user', 'User name', 'User name. Without one, only the password is sent.', {
      required: false,
    }),
    secretField('password', 'Password', 'Password of the user.', { required: false }),
    plainField('database', 'Database', 'Number of the database.', { required: false, default: '0' }),
    plainField('tls', 'TLS', 'Uses TLS and verifies the certificate.', {
      required: false,
      default: 'false',
      format: 'flag',
    }),
    CA,
  ],
  base: '',
  sign: (request) => request,
  connectionTest: { action: 'get', input: { key: 'everstep:probe' } },
  actions: [
    action({
      name: 'get',
      title: 'Get a value',
      description: 'Returns the text of a key; null if it does not exist.',
      effect: 'read',
      input: { key: KEY },
      required: ['key'],
      command: (input) => ({ command: 'GET', args: of(input, 'key') }),
    }),
    action({
      name: 'set',
      title: 'Set a value',
      description: 'Stores a value under a key, optionally with an expiry.',
      effect: 'write',
      repeatable: true,
      input: {
        key: KEY,
        value: VALUE,
        expires_in: integer('Expiry in seconds.', 3_600, { minimum: 1, maximum: 1_000_000_000 }),
      },
      required: ['key', 'value'],
      command: (input) => ({
        command: 'SET',
        args: [...of(input, 'key', 'value'), ...(input.expires_in === undefined ? [] : ['EX', input.expires_in])],
      }),
    }),
    action({
      name: 'delete',
      title: 'Delete keys',
      description: 'Deletes keys and returns how many existed.',
      effect: 'write',
      repeatable: true,
      input: { keys: list(KEY, 'Keys.', ['order:4711'], { minItems: 1, maxItems: 1_000 }) },
      required: ['keys'],
      command: ({ keys }) => ({ command: 'DEL', args: Array.isArray(keys) ? keys : [] }),
    }),
    action({
      name: 'increment',
      title: 'Increment',
      description: 'Adds to a number and returns the result.',
      effect: 'write',
      input: { key: KEY, by: integer('Increment; negative values decrement. Default: 1.', 1) },
      required: ['key'],
      command: (input) => ({ command: 'INCRBY', args: [input.key ?? '', input.by ?? 1] }),
    }),
    action({
      name: 'hash_get',
      title: 'Get a hash',
      description: 'Returns all fields of a hash.',
      effect: 'read',
      input: { key: KEY },
      required: ['key'],
      command: (input) => ({ command: 'HGETALL', args: of(input, 'key') }),
    }),
    action({
      name: 'hash_set',
      title: 'Set a hash field',
      description: 'Sets a field of a hash.',
      effect: 'write',
      repeatable: true,
      input: { key: KEY, field: FIELD, value: VALUE },
      required: ['key', 'field', 'value'],
      command: (input) => ({ command: 'HSET', args: of(input, 'key', 'field', 'value') }),
    }),
    action({
      name: 'push',
      title: 'Push to a list',
      description: 'Appends values to a list and returns its length.',
      effect: 'write',
      input: {
        key: KEY,
        values: list({}, 'Results in the order of the texts.', ['a', 'b'], { minItems: 1, maxItems: 1_000 }),
      },
      required: ['key', 'values'],
      command: ({ key, values }) => ({ command: 'RPUSH', args: [key ?? '', ...(Array.isArray(values) ? values : [])] }),
    }),
    action({
      name: 'pop',
      title: 'Pop from a list',
      description: 'Removes and returns the first value of a list; null if it is empty.',
      effect: 'write',
      input: { key: KEY },
      required: ['key'],
      command: (input) => ({ command: 'LPOP', args: of(input, 'key') }),
    }),
    action({
      name: 'command',
      title: 'Run a command',
      description:
        'Runs a command that reads or writes data; blocking, scripting and administrative commands are refused.',
      effect: 'write',
      input: {
        command: filledText('Name of the field.', 'ZADD', { maxLength: 64 }),
        args: list({}, 'Results in the order of the texts.', ['scores', 3, 'ada'], { maxItems: 10_000 }),
      },
      required: ['command'],
      command: ({ command, args }) => ({ command: command ?? '', args: Array.isArray(args) ? args : [] }),
    }),
  ],
});
