import type { Json, JsonObject } from '../../../lib/json';
import { redisNode } from '../../storage/redis';
import { run } from '../../storage/redis/run';
import type { JsonSchema } from '../../contract';
import type { CodeAction, Connector } from '../contract';
import { asStep, connectionOf } from '../delegate';
import { anyValue, filledText, integer, list } from '../../schema';
import { CA, HOST, plainField, portField, secretField } from '../credentials';
import { defineConnector } from '../define';

const FIELDS = ['host', 'port', 'user', 'password', 'database', 'tls', 'ca'];

const KEY = filledText('Name of the value.', 'order:4711', { maxLength: 10_000 });
const VALUE = anyValue('Text goes as it is, any other value as JSON.', 'paid');
const FIELD = filledText('Of the hash.', 'state', { maxLength: 10_000 });

type Line = Pick<CodeAction, 'name' | 'title' | 'description' | 'effect'> & {
  readonly repeatable?: boolean;
  readonly input: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly command: (input: JsonObject) => { readonly command: Json; readonly args: Json[] };
};

const action = ({ command, repeatable, ...line }: Line): CodeAction => ({
  kind: 'code',
  ...line,
  repeatable: repeatable ?? line.effect === 'read',
  output: redisNode.output,
  run: asStep(run, (input, credentials) => ({
    ...command(input),
    connection: connectionOf(credentials, FIELDS, { numbers: ['port', 'database'], flags: ['tls'] }),
  })),
});

const of = (input: JsonObject, ...names: readonly string[]): Json[] => names.map((name) => input[name] ?? '');

export const redis = defineConnector({
  name: 'redis',
  title: 'Redis',
  description: 'Reads and changes values on a server of Redis.',
  category: 'Storage',
  docs: 'https://redis.io/docs/latest/commands/',

  fields: [
    HOST,
    portField(6_379),
    plainField('user', 'User name', 'Without one, the server takes the password alone.', undefined, {
      required: false,
    }),
    secretField('password', 'Password', 'Of that user.', undefined, { required: false }),
    plainField('database', 'Database', 'Its number.', undefined, { required: false, default: '0' }),
    plainField('tls', 'TLS', 'Encrypts, and verifies the certificate.', undefined, {
      required: false,
      default: 'false',
      format: 'flag',
    }),
    CA,
  ],
  base: '',
  sign: (request) => request,
  probe: { action: 'get', input: { key: 'everstep:probe' } },
  actions: [
    action({
      name: 'get',
      title: 'Get a value',
      description: 'Gives the text of a key; null where there is none.',
      effect: 'read',
      input: { key: KEY },
      required: ['key'],
      command: (input) => ({ command: 'GET', args: of(input, 'key') }),
    }),
    action({
      name: 'set',
      title: 'Set a value',
      description: 'Stores a value under a key, permanently or with an expiry.',
      effect: 'write',
      repeatable: true,
      input: {
        key: KEY,
        value: VALUE,
        expires_in: integer('Seconds.', 3_600, { minimum: 1, maximum: 1_000_000_000 }),
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
      description: 'Forgets values; gives how many there were.',
      effect: 'write',
      repeatable: true,
      input: { keys: list(KEY, 'Names of the values.', ['order:4711'], { minItems: 1, maxItems: 1_000 }) },
      required: ['keys'],
      command: ({ keys }) => ({ command: 'DEL', args: Array.isArray(keys) ? keys : [] }),
    }),
    action({
      name: 'increment',
      title: 'Count up',
      description: 'Adds to a number; gives what it is now.',
      effect: 'write',
      input: { key: KEY, by: integer('1 unless it says so; less than nothing counts down.', 1) },
      required: ['key'],
      command: (input) => ({ command: 'INCRBY', args: [input.key ?? '', input.by ?? 1] }),
    }),
    action({
      name: 'hash_get',
      title: 'Get a hash',
      description: 'Gives all fields of a hash as an object.',
      effect: 'read',
      input: { key: KEY },
      required: ['key'],
      command: (input) => ({ command: 'HGETALL', args: of(input, 'key') }),
    }),
    action({
      name: 'hash_set',
      title: 'Set a field of a hash',
      description: 'Keeps a value in a field of a hash.',
      effect: 'write',
      repeatable: true,
      input: { key: KEY, field: FIELD, value: VALUE },
      required: ['key', 'field', 'value'],
      command: (input) => ({ command: 'HSET', args: of(input, 'key', 'field', 'value') }),
    }),
    action({
      name: 'push',
      title: 'Push to a list',
      description: 'Puts values at the end of a list; gives how long it is now.',
      effect: 'write',
      input: { key: KEY, values: list({}, 'In order.', ['a', 'b'], { minItems: 1, maxItems: 1_000 }) },
      required: ['key', 'values'],
      command: ({ key, values }) => ({ command: 'RPUSH', args: [key ?? '', ...(Array.isArray(values) ? values : [])] }),
    }),
    action({
      name: 'pop',
      title: 'Pop from a list',
      description: 'Takes the first value of a list; null where there is none.',
      effect: 'write',
      input: { key: KEY },
      required: ['key'],
      command: (input) => ({ command: 'LPOP', args: of(input, 'key') }),
    }),
    action({
      name: 'command',
      title: 'Any command',
      description: 'One that asks or changes data; none that waits, runs scripts or changes the server.',
      effect: 'write',
      input: {
        command: filledText('Its name.', 'ZADD', { maxLength: 64 }),
        args: list({}, 'In order.', ['scores', 3, 'ada'], { maxItems: 10_000 }),
      },
      required: ['command'],
      command: ({ command, args }) => ({ command: command ?? '', args: Array.isArray(args) ? args : [] }),
    }),
  ],
});
