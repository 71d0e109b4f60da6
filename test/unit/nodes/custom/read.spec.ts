import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../lib/json';
import { type CustomNodeDefinition, readDefinition } from '../../../../nodes/custom';

const WEATHER: JsonObject = {
  name: 'weather',
  label: 'Weather',
  icon: 'cloud',
  color: '#3366ff',
  kind: 'tool',
  config_fields: [
    { name: 'city', label: 'City', type: 'string', required: true },
    {
      name: 'units',
      type: 'select',
      options: ['metric', { value: 'imperial', label: 'Fahrenheit' }],
      default: 'metric',
    },
    { name: 'key', type: 'string', secret: true },
  ],
  outputs: [{ name: 'temperature', path: 'body.main.temp' }, { name: 'status' }],
  request: {
    method: 'GET',
    url: 'https://api.example.com/weather?q={{ config.city | url_encode }}',
    headers: {
      authorization: 'Bearer {{ secret.WEATHER_KEY }}',
      'x-trace': '{{ steps.start.trace | default("none") }}',
    },
  },
};

function read(body: JsonObject): CustomNodeDefinition {
  const found = readDefinition(body);
  if (found.kind === 'faults') throw new Error(JSON.stringify(found.faults));
  return found.definition;
}
function faults(change: JsonObject): string[] {
  const found = readDefinition({ ...WEATHER, ...change });
  return found.kind === 'faults' ? found.faults.map(({ path, message }) => `${path}: ${message}`) : [];
}

test('missing fields get their defaults', () => {
  expect(read({ name: 'ping', request: { url: 'https://example.com' } })).toEqual({
    type: 'custom-ping',
    name: 'ping',
    label: 'ping',
    description: '',
    icon: null,
    color: null,
    kind: 'tool',
    config_fields: [],
    outputs: [],
    request: { url: 'https://example.com' },
  });
});

test('fields and outputs have a short and a long form', () => {
  const { config_fields: fields, outputs, type } = read(WEATHER);
  expect(type).toBe('custom-weather');
  expect(fields[1]).toEqual({
    name: 'units',
    label: 'units',
    description: '',
    type: 'select',
    required: false,
    default: 'metric',
    options: [
      { value: 'metric', label: 'metric' },
      { value: 'imperial', label: 'Fahrenheit' },
    ],
  });
  expect(fields[2]).toMatchObject({ name: 'key', type: 'secret' });
  expect(outputs).toEqual([
    { name: 'temperature', path: 'body.main.temp' },
    { name: 'status', path: 'status' },
  ]);
});

test('only the type is its name', () => {
  expect(read({ type: 'custom-ping', request: { url: 'https://example.com' } }).name).toBe('ping');
});

test('the example of the documentation is valid', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/custom-nodes.md'), 'utf8');
  const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(read(JSON.parse(example) as JsonObject)).toMatchObject({ type: 'custom-weather', outputs: [{}, {}] });
});

test('the result can be parsed again', () => {
  const definition = read(WEATHER);
  expect(read(definition as unknown as JsonObject)).toEqual(definition);
});

test.each<[string, JsonObject, string]>([
  ['a name in capitals', { name: 'Weather' }, 'name: must match "^[a-z][a-z0-9-]{0,49}$"'],
  ['a name with the prefix', { name: 'custom-weather' }, 'name: is put behind "custom-" by itself'],
  ['a type of another name', { type: 'custom-other' }, 'type: must be custom-weather, after the name'],
  ['an unknown kind', { kind: 'action' }, 'kind: must be one of "tool", "trigger"'],
  [
    'a colour that is style text',
    { color: 'red;background:url(x)' },
    'color: must match "^(?:#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,30})$"',
  ],
  ['no request', { request: null }, 'request: must be object, not null'],
  ['a request without a URL', { request: { method: 'GET' } }, 'request.url: is required'],
  [
    'two requests',
    { request: [{ url: 'https://a.example' }, { url: 'https://b.example' }] },
    'request: must be object, not array',
  ],
  [
    'an unknown key of the request',
    { request: { url: 'https://a.example', heders: {} } },
    'request.heders: unknown key of this step type',
  ],
  [
    'a method by expression',
    { request: { url: 'https://a.example', method: '{{ config.city }}' } },
    'request.method: may not be an expression',
  ],
  [
    'a method that is none',
    { request: { url: 'https://a.example', method: 'FETCH' } },
    'request.method: must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
  ],
  [
    'two bodies',
    { request: { url: 'https://a.example', body: 'a', json: 1 } },
    'request: has none of the allowed forms: an object with body, or an object with json, or an object with form, or another form',
  ],
  [
    'two fields of a name',
    { config_fields: [{ name: 'city' }, { name: 'city' }] },
    'config_fields[1].name: is taken by number 0',
  ],
  [
    'a field that no expression can name',
    { config_fields: [{ name: 'my city' }] },
    'config_fields[0].name: must match "^_?[A-Za-z]\\\\w{0,63}$"',
  ],
  [
    'a field by a name of the machinery',
    { config_fields: [{ name: '__proto__' }] },
    'config_fields[0].name: must match "^_?[A-Za-z]\\\\w{0,63}$"',
  ],
  [
    'an unknown type of field',
    { config_fields: [{ name: 'city', type: 'text' }] },
    'config_fields[0].type: must be one of "string", "number", "boolean", "select", "json", "secret"',
  ],
  [
    'a select without options',
    { config_fields: [{ name: 'city', type: 'select' }] },
    'config_fields[0].options: is required for a select',
  ],
  [
    'options of a text',
    { config_fields: [{ name: 'city', options: ['a'] }] },
    'config_fields[0].options: is for a select, not for a string',
  ],
  [
    'a default of another type',
    { config_fields: [{ name: 'city', default: 3 }] },
    'config_fields[0].default: must be string, not number',
  ],
  [
    'a default that is no option',
    { config_fields: [{ name: 'city', type: 'select', options: ['a'], default: 'b' }] },
    'config_fields[0].default: must be one of "a"',
  ],
  [
    'a secret in clear',
    { config_fields: [{ name: 'city', type: 'secret', default: 'hunter2' }] },
    'config_fields[0].default: a secret has no default',
  ],
  ['an output by no path', { outputs: [{ name: 'a', path: 'body..a' }] }, 'outputs[0].path: is not a path'],
  ['two outputs of a name', { outputs: [{ name: 'a' }, { name: 'a' }] }, 'outputs[1].name: is taken by number 0'],
  ['too much', { description: 'x', x: 'x'.repeat(70_000) }, ': is larger than 64 KiB'],
])('refuses %s', (_, change, expected) => {
  expect(faults(change)).toContain(expected);
});

test.each<[string, string]>([
  ['{{ config.town }}', 'there is no config field town'],
  ['{{ error.message }}', 'error is not there inside a custom node'],
  ['{{ vars.a }}', 'vars is not there inside a custom node'],
  ['{{ execution.id }}', 'execution is not there inside a custom node'],
  ['{{ secret[config.city] }}', 'a secret is used by its name'],
  ['{{ approval_link("a", "approve") }}', 'a custom node knows no approvals'],
  ['{{ shout(config.city) }}', 'unknown function shout'],
])('refuses the expression %s in any field', (expression, message) => {
  const places: JsonObject[] = [
    { url: `https://a.example/${expression}` },
    { url: 'https://a.example', json: [{ a: expression }] },
  ];
  for (const request of places) {
    expect(faults({ request }).map((fault) => fault.replace(/^[^:]*: | \(character.*$/g, ''))).toEqual([message]);
  }
});

test('an invalid expression is reported with its path', () => {
  expect(faults({ request: { url: 'https://a.example', headers: { a: '{{ config. }}' } } })[0]).toMatch(
    /^request\.headers\.a: /,
  );
});

test('names of Object.prototype are ordinary names', () => {
  const hostile = JSON.parse(
    '{"name":"a","__proto__":{"request":{"url":"x"}},"request":{"url":"https://a.example","headers":{"__proto__":"x"}},"config_fields":[{"name":"constructor"}],"outputs":[{"name":"toString","path":"constructor"}]}',
  ) as JsonObject;
  const definition = read(hostile);
  expect(Object.hasOwn(definition.request.headers as object, '__proto__')).toBe(true);
  expect(definition.config_fields.map(({ name }) => name)).toEqual(['constructor']);
  expect(({} as { request?: unknown }).request).toBeUndefined();
});

describe('a trigger', () => {
  const request = { url: 'https://api.example.com/orders?after={{ cursor }}' };
  const trigger = { kind: 'trigger', outputs: [], request };
  const poll = { items: 'data.orders', id: 'number', cursor: "headers['x-next']" };

  test('names the path of the items, their id, and the source of the cursor', () => {
    expect(read({ ...WEATHER, ...trigger, poll }).poll).toEqual(poll);
    const plain = { kind: 'trigger', outputs: [], request: { url: 'https://api.example.com/orders' } };
    expect(read({ ...WEATHER, ...plain }).poll).toEqual({ items: null, id: null, cursor: null });
    expect(read({ ...WEATHER, ...plain, poll: null }).poll).toEqual({ items: null, id: null, cursor: null });
    expect(read(WEATHER).poll).toBeUndefined();
  });

  test('is refused with all its faults', () => {
    expect(faults({ poll })).toEqual(['poll: is for a trigger']);
    expect(faults({ ...trigger, poll: { ...poll, items: 'a..b', id: '' } })).toEqual([
      'poll.items: is not a path',
      'poll.id: is not a path',
    ]);
    expect(faults({ ...trigger, poll: { ...poll, item: 'x' } })).toEqual([expect.stringContaining('poll.item')]);
    expect(faults({ ...trigger, poll: { items: 'data' } })).toEqual([
      'poll.cursor: is required, because the request uses {{ cursor }}',
    ]);
    expect(faults({ ...trigger, request: { url: 'https://api.example.com' }, poll })).toEqual([
      'poll.cursor: has no use: the request does not use {{ cursor }}',
    ]);
    expect(faults({ ...trigger, poll, outputs: [{ name: 'x', path: 'a..b' }] })).toEqual([
      'outputs[0].path: is not a path',
    ]);
    expect(faults({ ...trigger, poll, config_fields: [{ name: 'every' }] })).toEqual([
      'config_fields[0].name: "every" is the interval of the trigger',
    ]);
  });

  test('cannot use a run, and a tool cannot use a cursor', () => {
    expect(faults({ kind: 'trigger', outputs: [] })).toEqual([
      expect.stringContaining('steps is not there inside a custom node of the kind trigger'),
    ]);
    expect(faults({ request })).toEqual([expect.stringContaining('cursor is not there inside a custom node')]);
  });
});
