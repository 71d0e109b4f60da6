import fc from 'fast-check';
import { compile, prepare, validateDocument, type WorkflowDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { document, nodeTypes, step } from './support/documents';
import { check, errorOf, errorsOf } from './support/findings';

test('a document that uses all that works has neither errors nor warnings', () => {
  const full = document(
    [
      step('fetch', {
        type: 'http',
        name: 'Fetch it',
        config: {
          method: '{{ trigger.method }}',
          url: 'https://x.test/{{ trigger.body.id }}',
          headers: { a: '{{ secret.KEY }}' },
        },
        retry: { max_attempts: 5, backoff: 'linear', initial_interval: '1s', max_interval: 60, factor: 1.5, jitter: 0 },
        timeout: '20s',
        on_error: 'continue',
        if: '{{ exists(trigger.body) && env == "dev" }}',
        ui: { x: 1 },
        x_mine: true,
      }),
      step('b', { config: { v: '{{ steps.fetch.status }}', w: '{{ vars.x }} {{ execution.id }}' }, if: false }),
      step('ask', { type: 'approval', config: { link: '{{ approval_link("ask", "approve") }}' } }),
    ],
    {
      name: 'Doc',
      description: 'What it does',
      trigger: { type: 'http', config: {} },
      retry: { max_attempts: 2 },
      timeout: '7d',
      output: { v: '{{ steps.b.v }}' },
      notes: ['n'],
      position: {},
      x_any: null,
    },
  );
  expect(check(full, ['KEY'])).toEqual({ errors: [], warnings: [] });
});

describe('the document', () => {
  test.each<[unknown, string[]]>([
    [null, [': a workflow must be a JSON object, not null']],
    [[], [': a workflow must be a JSON object, not array']],
    ['x', [': a workflow must be a JSON object, not string']],
    [
      {},
      [
        'id: is missing [a letter, then up to 63 letters, digits, _ or -]',
        'steps: is missing',
        'trigger: is missing [write {"type": "manual"}]',
      ],
    ],
    [document([]), ['steps: a workflow needs at least one step']],
    [document([step('a')], { steps: {} }), ['steps: must be an array of steps']],
    [document([step('a')], { id: '1a' }), ['id: is not a valid id [a letter, then up to 63 letters, digits, _ or -]']],
    [document([step('a')], { name: 1 }), ['name: must be a string, not number']],
    [document([step('a')], { tirgger: {} }), ['tirgger: unknown key of a workflow [did you mean "trigger"?]']],
    [
      document([step('a')], { timeout: 'soon' }),
      ['timeout: not a duration [write 500ms, 30s, 1h30m, 7d, or a number of seconds]'],
    ],
    [document([step('a')], { retry: 3 }), ['retry: retry must be an object, not number [write {"max_attempts": 3}]']],
    [document([step('a')], { trigger: 'http' }), ['trigger: must be an object [write {"type": "manual"}]']],
    [
      document([step('a')], { trigger: { type: 'htpp' } }),
      ['trigger.type: is not a trigger type [did you mean "http"?]'],
    ],
    [
      document([step('a')], { trigger: {} }),
      [
        'trigger.type: is not a trigger type [known are manual, http, form, schedule, http_poll, rss, email, suite_mail, suite_sheet, suite_calendar, notes_database, chat_message, microsoft_mail, microsoft_file, messaging-a, messaging-b, chat, billing_event, voice_event, signal, workflow_completed, error]',
      ],
    ],
    [
      document([step('a')], { trigger: { type: 'http', config: 1 } }),
      ['trigger.config: must be an object, not number'],
    ],
    [
      document([step('a')], { trigger: { type: 'manual', conf: {} } }),
      ['trigger.conf: unknown key of a trigger [did you mean "config"?]'],
    ],
    [document([step('a')], { output: '{{ steps.z }}' }), ['output: no step has the id z (character 2 of ` steps.z `)']],
  ])('%j', (input, expected) => {
    expect(errorsOf(input)).toEqual(expected);
  });

  test('keys far from any known one get the whole list', () => {
    expect(errorsOf(document([step('a')], { wholly_else: 1 }))[0]).toContain('known are id, name, description');
  });

  test('keys that objects inherit are unknown keys like others', () => {
    const input = JSON.parse('{"__proto__": {}, "constructor": 1}') as JsonObject;
    expect(errorsOf({ ...document([step('a')]), constructor: 1 })[0]).toMatch(/^constructor: unknown key/);
    expect(errorsOf(input)[0]).toMatch(/^__proto__: unknown key/);
  });

  test('settings of a trigger that has none are named in a warning', () => {
    const { warnings } = check(document([step('a')], { trigger: { type: 'http', config: { path: '/x' } } }));
    expect(warnings).toEqual([
      { path: 'trigger.config.path', message: 'triggers of this type have no such setting; the key is ignored' },
    ]);
  });

  test('nesting is limited before anything walks it', () => {
    let deep: Json = 1;
    for (let n = 0; n < 20_000; n++) deep = [deep];
    expect(errorsOf(document([step('a', { config: { deep } })]))).toEqual([': nested deeper than 64']);
  });

  test('expressions are limited before any is read', () => {
    const listOf = (length: number, text: string): JsonObject => ({ config: { list: Array(length).fill(text) } });
    const inOne = (length: number, text = '{{ 1 }}'): string[] => errorsOf(document([step('a', listOf(length, text))]));
    expect(inOne(2_000)).toEqual([]);
    expect(inOne(2_001)).toEqual(['steps[0].config: has more than 2000 expressions [use several steps]']);
    expect(inOne(5_001)).toEqual([': has more than 5000 expressions [split the workflow]']);
    expect(inOne(1, '{{1}}'.repeat(5_001))).toEqual([': has more than 5000 expressions [split the workflow]']);
    const long = `{{${' '.repeat(1_022)}1 }}`;
    expect(inOne(63, long)).toEqual([]);
    expect(inOne(65, long)).toEqual(['steps[0].config: its expressions have more than 64 KiB [use several steps]']);
    const six = ['a', 'b', 'c', 'd', 'e'].map((id) => step(id, listOf(60, long)));
    expect(errorsOf(document(six))).toEqual([': its expressions have more than 256 KiB [split the workflow]']);
  });

  test('its size is limited before anything is read', () => {
    const values = { config: { list: Array(100_000).fill(0) } };
    expect(errorsOf(document([step('a', values)]))).toEqual([
      ': has more than 100000 values [keep data in files or variables]',
    ]);
    const text = { config: { text: 'x'.repeat(6 * 1024 * 1024) } };
    expect(errorsOf(document([step('a', text)]))).toEqual([': larger than 6 MiB [keep data in files or variables]']);
  });

  test('the list of findings is bounded', () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`key${n}`, n]));
    expect(errorsOf(document([step('a')], many))).toHaveLength(100);
  });
});

describe('a step', () => {
  test.each<[JsonObject, string]>([
    [{ id: 'a b' }, 'steps[0].id: is not a valid id [a letter, then up to 63 letters, digits, _ or -]'],
    [{ type: 'http_requst' }, 'steps[0].type: unknown step type "http_requst" [did you mean "http_request"?]'],
    [{ type: '__proto__' }, 'steps[0].type: unknown step type "__proto__"'],
    [{ type: 7 }, 'steps[0].type: must be a string, not number'],
    [{ type: 'unknown.send_mail' }, 'steps[0].type: unknown step type "unknown.send_mail"'],
    [{ type: 'shop.get_order' }, 'steps[0].type: unknown step type "shop.get_order" [did you mean "shop.get_orders"?]'],
    [{ type: 'shop.burn' }, 'steps[0].type: unknown step type "shop.burn" [shop has get_orders, refund]'],
    [{ name: [] }, 'steps[0].name: must be a string, not array'],
    [{ confg: {} }, 'steps[0].confg: unknown key of a step of type set [did you mean "config"?]'],
    [{ cases: [] }, 'steps[0].cases: unknown key of a step of type set'],
    [{ config: [] }, 'steps[0].config: must be an object, not array'],
    [{ needs: 'b' }, 'steps[0].needs: must be a list of ids of steps, not string [write ["first", "second"]]'],
    [{ timeout: '0s' }, 'steps[0].timeout: a duration must be longer than 0'],
    [{ timeout: '-1s' }, 'steps[0].timeout: not a duration'],
    [{ on_error: 'contine' }, 'steps[0].on_error: must be "fail" or "continue" [did you mean "continue"?]'],
    [{ on_error: 1 }, 'steps[0].on_error: must be "fail", "continue" or a list of steps, not number'],
    [{ on_error: [] }, 'steps[0].on_error: needs at least one step'],
    [{ retry: { max_attempts: 0 } }, 'steps[0].retry.max_attempts: must be a whole number from 1 to 100'],
    [{ retry: { max_attempts: 1.5 } }, 'steps[0].retry.max_attempts: must be a whole number from 1 to 100'],
    [{ retry: { attempts: 3 } }, 'steps[0].retry.attempts: unknown key of retry'],
    [{ retry: { backoff: 'expo' } }, 'steps[0].retry.backoff: must be "fixed" or "linear" or "exponential"'],
    [{ retry: { factor: 0.5 } }, 'steps[0].retry.factor: must be a number from 1 to 100'],
    [{ retry: { jitter: 2 } }, 'steps[0].retry.jitter: must be a number from 0 to 1'],
    [{ retry: { initial_interval: 'x' } }, 'steps[0].retry.initial_interval: not a duration'],
    [
      { retry: { initial_interval: '1m', max_interval: '1s' } },
      'steps[0].retry.max_interval: shorter than initial_interval',
    ],
    [{ if: 'steps.x > 1' }, 'steps[0].if: must be one expression and nothing else [write one expression in braces'],
    [{ if: '{{ true }} and {{ false }}' }, 'steps[0].if: must be one expression and nothing else'],
    [{ if: '{{ true' }, 'steps[0].if: the braces {{ are never closed'],
    [{ if: 1 }, 'steps[0].if: must be an expression, not number'],
    [{ if: '{{ secret.KEY }}' }, 'steps[0].if: a secret may not be used in a condition: conditions are recorded'],
  ])('%j', (more, expected) => {
    expect(errorOf(more)).toContain(expected);
  });

  test('without type or id', () => {
    expect(errorsOf(document([{}]))).toEqual([
      'steps[0].id: is missing [a letter, then up to 63 letters, digits, _ or -]',
      'steps[0].type: is missing',
    ]);
  });

  test('that is no object', () => {
    expect(errorsOf({ ...document([]), steps: [1] })).toEqual([
      'steps[0]: a step must be an object [write {"id": "...", "type": "...", "config": {}}]',
    ]);
  });

  test('whose id is taken', () => {
    expect(errorsOf(document([step('a'), step('b'), step('a')]))).toEqual([
      'steps[2].id: the id "a" is taken by steps[0] [give each step its own id]',
    ]);
  });
});

describe('expressions', () => {
  const errorIn = (source: string): string => errorOf({ config: { v: source } });

  test.each([
    ['{{ 1 + }}', 'steps[0].config.v: the expression ends too early (character 6 of ` 1 + `)'],
    ['{{ trigger.x', 'steps[0].config.v: the braces {{ are never closed; for a literal {{ write \\{{'],
    ['{{ tigger.x }}', 'unknown name tigger (character 2 of ` tigger.x `) [did you mean "trigger"?]'],
    ['{{ a.x }}', 'unknown name a (character 2 of ` a.x `) [for the step of that id write steps.a]'],
    ['{{ zzzzzz }}', '[known are trigger, steps'],
    ['{{ uper("a") }}', 'unknown function uper (character 2 of ` uper("a") `) [did you mean "upper"?]'],
    ['{{ not(trigger.a) }}', 'unknown function not (character 2 of ` not(trigger.a) `) ["not" is written !]'],
    ['{{ "a" | upper("b") }}', 'upper takes 1 argument, not 2'],
    ['{{ join() }}', 'join takes 1 to 2 arguments, not 0'],
    ['{{ steps.b.x }}', 'no step has the id b'],
    ['{{ steps.a.x }}', 'the step a is this step itself'],
    ['{{ config.x }}', 'config is there only inside custom nodes'],
    ['{{ error.message }}', 'error is there only in steps that handle an error'],
    ['{{ loop.item }}', 'loop is there only inside foreach and while'],
    ['{{ secret }}', 'a secret is used by its name'],
    ['{{ secret[trigger.name] }}', 'a secret is used by its name'],
    ['{{ secret["a b"] }}', 'a b cannot be the name of a secret'],
    ['{{ approval_link("asc", "approve") }}', 'no step has the id asc'],
    ['{{ form_link("asc") }}', 'no step has the id asc'],
    [`{{ ${'x'.repeat(100)} }}`, `of \` ${'x'.repeat(59)}…\``],
  ])('%s', (source, expected) => {
    expect(errorIn(source)).toContain(expected);
  });

  test('are checked each, wherever they stand', () => {
    const config = { a: ['{{ x1 }} {{ 1 + }} {{ x2 }}'], 'b c': { d: '{{ x3 }}' } };
    expect(errorsOf(document([step('a', { config })])).map((text) => text.slice(0, text.indexOf(' (')))).toEqual([
      'steps[0].config.a[0]: unknown name x1',
      'steps[0].config.a[0]: the expression ends too early',
      'steps[0].config.a[0]: unknown name x2',
      'steps[0].config["b c"].d: unknown name x3',
    ]);
  });

  test('may use steps that come before, not those after', () => {
    const config = { v: '{{ steps.b.x ?? 1 }}' };
    expect(errorsOf(document([step('b'), step('a', { config })]))).toEqual([]);
    expect(errorsOf(document([step('a', { config }), step('b')]))[0]).toContain('the step b runs after this step');
  });

  test('may choose a step at run time', () => {
    expect(errorsOf(document([step('a', { config: { v: '{{ steps[trigger.id] }} {{ steps }}' } })]))).toEqual([]);
  });

  test('in the output see every step, but no secret', () => {
    const output = { a: '{{ steps.a }}', b: ['{{ secret.KEY }}'] };
    expect(errorsOf(document([step('a')], { output }))).toEqual([
      'output.b[0]: a secret may not be used in the output of a workflow: outputs are shown (character 2 of ` secret.KEY `) [use secrets in the config of steps that need them]',
    ]);
  });

  test('with unknown secrets, or in keys, are doubtful', () => {
    const config = {
      a: '{{ secret.KAY }} {{ secret.OTHER_THING }} {{ execution.idd }} {{ execution.zzzzz }}',
      '{{ x }}': 1,
    };
    const { errors, warnings } = check(document([step('a', { config })]), ['KEY']);
    expect(errors).toEqual([]);
    expect(warnings.map(({ message, hint }) => `${message.replace(/ \(.*/, '')} [${hint}]`)).toEqual([
      'there is no secret KAY yet [did you mean "KEY"?]',
      'there is no secret OTHER_THING yet [add it before running]',
      'execution has no idd [did you mean "id"?]',
      'execution has no zzzzz [id, workflow_id, started_at, attempt]',
      'expressions in keys are not read [put it into the value]',
    ]);
    expect(check(document([step('a', { config: { a: '{{ secret.ANY }}' } })])).warnings).toEqual([]);
  });
});

describe('the config of a step', () => {
  const errorIn = (config: JsonObject): string => errorOf({ type: 'http_request', config });

  test.each<[JsonObject, string]>([
    [{}, 'steps[0].config.url: is required'],
    [{ url: 1 }, 'steps[0].config.url: must be string, not number'],
    [{ url: 'u', timeout: [] }, 'steps[0].config.timeout: must be string or number, not array'],
    [{ url: '' }, 'steps[0].config.url: must NOT have fewer than 1 characters'],
    [{ url: 'u', methd: 'GET' }, 'steps[0].config.methd: unknown key of this step type [did you mean "method"?]'],
    [{ url: 'u', zzzzzzz: 1 }, 'steps[0].config.zzzzzzz: unknown key of this step type [known are url, method'],
    [
      { url: 'u', method: 'DELET' },
      'steps[0].config.method: must be one of GET, POST, DELETE [did you mean "DELETE"?]',
    ],
    [{ url: 'u', method: 7 }, 'steps[0].config.method: must be one of GET, POST, DELETE'],
    [{ url: 'u', headers: { 'a/b~c': 1 } }, 'steps[0].config.headers["a/b~c"]: must be string, not number'],
    [{ url: 'u', tags: ['a', 1] }, 'steps[0].config.tags[1]: must be string, not number'],
    [{ url: 'u', tags: ['a', 'a'] }, 'steps[0].config.tags: must NOT have duplicate items'],
    [{ url: 'u', retries: -1 }, 'steps[0].config.retries: must be >= 0'],
    [{ url: 'u', auth: { user: 'a' } }, 'steps[0].config.auth: has none of the allowed forms: '],
    [{ url: 'u', method: 'POST' }, 'steps[0].config.body: is required'],
    [{ url: 'u', retries: '\\{{ 1 }}' }, 'steps[0].config.retries: must be integer, not string'],
  ])('%j', (config, expected) => {
    expect(errorIn(config)).toContain(expected);
  });

  test.each<[JsonObject]>([
    [{ url: '{{ trigger.url }}' }],
    [{ url: 'u', retries: '{{ trigger.n }}' }],
    [{ url: 'u', method: '{{ trigger.method }}' }],
    [{ url: 'u', tags: '{{ trigger.tags }}' }],
    [{ url: 'u', tags: ['{{ trigger.a }}', '{{ trigger.a }}'] }],
    [{ url: 'u', auth: '{{ trigger.auth }}' }],
    [{ url: 'u', headers: { 'a/b': '{{ trigger.h }}' } }],
    [{ url: 'u', method: 'POST', body: { a: ['{{ trigger.h }}'] } }],
  ])('%j holds as far as it is known', (config) => {
    expect(errorsOf(document([step('a', { type: 'http_request', config })]))).toEqual([]);
  });

  test('of a condition whose test is not known yet, neither branch is demanded', () => {
    const schema = {
      if: { properties: { kind: { const: 'a' } } },
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ['x'] },
      else: { required: ['y'] },
    };
    const types = new Map([['t', { type: 't', kind: 'work' as const, inputSchema: schema }]]);
    const errors = (config: JsonObject) =>
      validateDocument(document([step('a', { type: 't', config })]), { nodeTypes: types }).errors.map(
        ({ path }) => path,
      );
    expect(errors({ kind: '{{ trigger.kind }}' })).toEqual([]);
    expect(errors({ kind: 'b' })).toEqual(['steps[0].config.y']);
  });

  test('of a type whose schema is broken is refused with the reason', () => {
    const broken = new Map([['t', { type: 't', kind: 'work' as const, inputSchema: { type: 'nonsense' } }]]);
    const { errors } = validateDocument(document([step('a', { type: 't' })]), { nodeTypes: broken });
    expect(errors).toEqual([
      {
        path: 'steps[0].config',
        message: 'the step type describes its configuration by an invalid JSON Schema',
        hint: expect.stringContaining('schema is invalid') as string,
      },
    ]);
  });

  test('is not checked further when a schema closes without naming properties', () => {
    const closed = new Map([['t', { type: 't', kind: 'work' as const, inputSchema: { additionalProperties: false } }]]);
    const { errors } = validateDocument(document([step('a', { type: 't', config: { k: 1 } })]), { nodeTypes: closed });
    expect(errors).toEqual([{ path: 'steps[0].config.k', message: 'unknown key of this step type' }]);
  });
});

describe('total', () => {
  const CONTROL = ['a', 'branch', 'parallel', 'foreach', 'while', 'try'];
  const odd: fc.Arbitrary<Json> = fc.jsonValue({ maxDepth: 3 }).map((value) => value as Json);
  const oddStep = fc.dictionary(
    fc.constantFrom(
      'id',
      'type',
      'config',
      'if',
      'retry',
      'timeout',
      'on_error',
      'cases',
      'branches',
      'steps',
      'else',
      'catch',
      'needs',
      'wait',
      'cache',
      'compensate',
      '__proto__',
    ),
    fc.oneof(
      odd,
      fc.constantFrom<Json>(...CONTROL, 'set', '{{ steps.a.b }}', '{{', { max_attempts: '{{ 1 }}' }),
      fc.constantFrom<Json>(
        { items: '{{ steps.a }}' },
        { condition: true },
        [step('b')],
        [{ when: '{{ loop.item }}', steps: [step('c')] }],
        [
          { id: 'a', steps: [step('d')] },
          { id: 'b', steps: [step('e', { needs: ['d'] })] },
        ],
        ['a'],
      ),
    ),
  );
  const oddDocument = fc.dictionary(
    fc.constantFrom(
      'id',
      'trigger',
      'steps',
      'retry',
      'timeout',
      'output',
      'triggers',
      'on_error',
      'inputs',
      'x_a',
      'y',
    ),
    fc.oneof(odd, fc.array(oddStep), fc.constantFrom<Json>({ type: 'http' }, 'doc', '1s')),
  );

  test('on any JSON: findings have paths and messages, and what has no error compiles', () => {
    fc.assert(
      fc.property(fc.oneof(odd, oddDocument), (input) => {
        const { errors, warnings } = check(input);
        for (const { path, message } of [...errors, ...warnings]) {
          expect(typeof path).toBe('string');
          expect(message).not.toBe('');
        }
        if (errors.some(({ path }) => path === ''))
          expect(typeof input !== 'object' || Array.isArray(input) || input === null).toBe(true);
        if (errors.length > 0) return;
        expect(() => prepare(compile(input as unknown as WorkflowDocument, nodeTypes))).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});
