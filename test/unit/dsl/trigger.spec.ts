import { cronFault } from '../../../dsl/validation/cron';
import { TRIGGER_TYPES } from '../../../dsl/validation/trigger-types';
import type { Json, JsonObject } from '../../../lib/json';
import { compile, type NodeTypeInfo, validateDocument, type WorkflowDocument } from '../../../dsl';
import { authoringSchema } from '../../../nodes/custom';
import { builtIn } from '../../support/vocabulary';
import { document, step } from './support/documents';
import { errorsOf, warningsOf } from './support/findings';

const errors = (type: string, config: Json = {}): string[] =>
  errorsOf(document([step('a')], { trigger: { type, config } })).map((text) => text.replace(/^trigger\./, ''));

describe('triggers', () => {
  const several = (triggers: Json): string[] => {
    const { trigger: _, ...rest } = document([step('a')], { triggers });
    return errorsOf(rest);
  };

  test('are 1 to 20, all different', () => {
    expect(several([{ type: 'manual' }, { type: 'http' }, { type: 'signal', config: { signal: 'paid' } }])).toEqual([]);
    expect(several([])).toEqual(['triggers: has 0; there are 1 to 20']);
    expect(several({})).toEqual(['triggers: must be a list, not object [write [{"type": "manual"}]]']);
    expect(several([1])).toEqual(['triggers[0]: must be an object [write {"type": "manual"}]']);
    expect(several([{ type: 'htp' }])).toEqual(['triggers[0].type: is not a trigger type [did you mean "http"?]']);
    const many = Array.from({ length: 21 }, (_, n) => ({ type: 'signal', config: { signal: `s${n}` } }));
    expect(several(many)).toEqual(['triggers: has 21; there are 1 to 20']);
    expect(
      several([
        { type: 'error', config: { workflow: 'w' } },
        { config: { workflow: 'w' }, type: 'error' },
      ]),
    ).toEqual(['triggers[1]: is there twice']);
  });

  test('and trigger are not both there', () => {
    expect(errorsOf(document([step('a')], { triggers: [{ type: 'manual' }] }))).toEqual([
      'trigger: is there beside triggers [move it into the list]',
    ]);
  });
});

test.each([
  ['gmail', {}, 'suite_mail'],
  ['suite-mail', {}, 'suite_mail'],
  ['google-sheets', { spreadsheet: 'x' }, 'suite_sheet'],
  ['slack', { channel: 'x' }, 'chat_message'],
  ['messaging_a', {}, 'messaging-a'],
  ['whatsapp', {}, 'messaging-a'],
  ['stripe', {}, 'billing_event'],
])('the trigger %s stands for another name', (type, config, canonical) => {
  const dsl = document([step('a')], { trigger: { type, config } });
  expect(errorsOf(dsl)).toEqual([]);
  expect(compile(dsl as unknown as WorkflowDocument, builtIn).triggers).toEqual([{ type: canonical, config }]);
});

describe('a custom node as a trigger', () => {
  const info: NodeTypeInfo = {
    type: 'custom-orders',
    kind: 'work',
    inputSchema: authoringSchema([
      { name: 'shop', label: 'Shop', description: '', type: 'string', required: true },
      { name: 'key', label: 'Key', description: '', type: 'secret', required: false },
    ]),
  };
  const findings = (config: JsonObject, trigger?: NodeTypeInfo['trigger'], type = info.type) =>
    validateDocument(document([step('a')], { trigger: { type, config } }), {
      nodeTypes: new Map([
        ...builtIn,
        [
          info.type,
          trigger === undefined ? info : { ...info, trigger, ...(trigger === 'unresolved' ? { inputSchema: {} } : {}) },
        ],
      ]),
    });
  const errorsIn = (...asked: Parameters<typeof findings>): string[] =>
    findings(...asked).errors.map(({ path, message }) => `${path}: ${message}`);

  test('takes its fields, with secrets alone, and an interval', () => {
    expect(errorsIn({ shop: 'north', every: '1m', key: '{{ secret.KEY }}' }, 'polled')).toEqual([]);
    expect(errorsIn({ shop: 'north/{{ secret.PLACE }}' }, 'polled')).toEqual([]);
    expect(errorsIn({}, 'polled')).toEqual(['trigger.config.shop: is required']);
    expect(errorsIn({ shop: 1, place: 'x' }, 'polled')).toEqual([
      'trigger.config.place: unknown key of this step type',
      'trigger.config.shop: must be string, not number',
    ]);
    expect(errorsIn({ shop: 'x', key: 'in clear' }, 'polled')).toEqual([
      expect.stringContaining('trigger.config.key: '),
    ]);
    expect(errorsIn({ shop: '{{ steps.a.x }}' }, 'polled')).toEqual([
      expect.stringContaining('trigger.config.shop: only secrets are known where a trigger is set up'),
    ]);
    expect(errorsIn({ shop: 'x', every: '5s' }, 'polled')).toEqual([expect.stringContaining('trigger.config.every: ')]);
    expect(errorsIn({ shop: 'x', every: '{{ secret.EVERY }}' }, 'polled')).toEqual([
      'trigger.config.every: expressions are not read here',
    ]);
  });

  test('that does not exist yet is a warning, and its config is checked for expressions alone', () => {
    const { errors, warnings } = findings({ any: 'thing', every: '1m' }, 'unresolved');
    expect(errors).toEqual([]);
    expect(warnings).toEqual([{ path: 'trigger.type', message: expect.stringContaining('"custom-orders" yet') }]);
  });

  test('is refused where it is a tool, or no name of a custom node', () => {
    expect(errorsIn({ shop: 'x' })).toEqual(['trigger.type: custom-orders is a tool, not a trigger']);
    expect(errorsIn({}, 'polled', 'custom-Upper')).toEqual(['trigger.type: is not a trigger type']);
    expect(errorsIn({}, 'polled', 'http_request')).toEqual(['trigger.type: is not a trigger type']);
  });
});

test('settings of a trigger that never had any are ignored, with a warning', () => {
  expect(warningsOf(document([step('a')], { trigger: { type: 'manual', config: { path: '/x' } } }))).toEqual([
    'trigger.config.path: triggers of this type have no such setting; the key is ignored',
  ]);
});

test.each([...TRIGGER_TYPES].filter(([, { required }]) => required.length > 0))(
  'the type %s tells which settings are missing',
  (type, { required }) => {
    expect(errors(type, {}).slice(0, required.length)).toEqual(required.map((key) => `config.${key}: is missing`));
  },
);

describe('the settings of a trigger', () => {
  test.each<[string, JsonObject]>([
    [
      'schedule',
      {
        cron: '30 9 * * mon-fri',
        timezone: 'Europe/Berlin',
        jitter: '5m',
        missed: 'last',
        overlap: 'queue',
        window: '1d',
      },
    ],
    ['schedule', { every: '15m' }],
    [
      'http_poll',
      {
        url: 'https://x.test/{{ secret.PATH }}',
        every: '1m',
        items: 'body.rows',
        id: 'id',
        headers: { authorization: 'Bearer {{ secret.KEY }}' },
      },
    ],
    ['email', { host: 'mail.test', port: 993, tls: true, user: 'a', password: '{{ secret.MAIL }}', mailbox: 'INBOX' }],
    ['rss', { url: 'https://x.test/feed' }],
    ['rss', { url: 'https://x.test/{{ secret.PLACE }}' }],
    ['suite_mail', {}],
    ['suite_sheet', { connection: 'c', spreadsheet: 's', sheet: 'Orders', every: '1m' }],
    ['messaging-a', { app_secret: '{{ secret.APP }}' }],
    ['billing_event', { events: ['invoice.paid'] }],
    ['signal', { signal: 'order-paid' }],
    ['workflow_completed', { workflow: 'intake', status: 'any' }],
    ['error', {}],
  ])('%s %j are right', (type, config) => {
    expect(errors(type, config)).toEqual([]);
  });

  test.each<[string, JsonObject, string[]]>([
    ['schedule', {}, ['config: needs exactly one of cron and every']],
    ['schedule', { cron: '* * * * *', every: '1m' }, ['config: needs exactly one of cron and every']],
    [
      'schedule',
      { cron: '99 * * * *' },
      ['config.cron: minute: 99 is not from 0 to 59 [write five fields: "30 9 * * mon-fri" is 9:30 on workdays]'],
    ],
    ['schedule', { every: '999ms' }, ['config.every: is shorter than a second [write 1s]']],
    ['schedule', { cron: 5 }, ['config.cron: must be text, not number']],
    ['rss', { url: 'https://x.test', every: '9s' }, ['config.every: is shorter than 10 seconds [write 10s]']],
    ['suite_mail', { every: '29s' }, ['config.every: is shorter than 30 seconds [write 30s]']],
    [
      'schedule',
      { every: 'often' },
      ['config.every: not a duration [write 500ms, 30s, 1h30m, 7d, or a number of seconds]'],
    ],
    [
      'schedule',
      { every: 0 },
      ['config.every: a duration must be longer than 0 [write 500ms, 30s, 1h30m, 7d, or a number of seconds]'],
    ],
    [
      'schedule',
      { every: 60, timezone: 'Europe/Berln' },
      ['config.timezone: is not a time zone [write one such as Europe/Berlin]'],
    ],
    [
      'schedule',
      { every: 60, missed: 'lst' },
      ['config.missed: must be "skip" or "last" or "all" [did you mean "last"?]'],
    ],
    ['schedule', { every: 60, overlap: 1 }, ['config.overlap: must be one of allow, skip, queue, not number']],
    [
      'schedule',
      { every: 60, tz: 'UTC' },
      [
        'config.tz: unknown key of the config of schedule [known are cron, every, timezone, jitter, missed, window, overlap; keys of your own begin with x_]',
      ],
    ],
    ['http_poll', { url: 'ftp://x', every: 60 }, ['config.url: is not a web address [write https://...]']],
    ['http_poll', { url: 'https://x', every: 60, headers: [] }, ['config.headers: must be an object, not array']],
    [
      'http_poll',
      { url: '{{ trigger.url }}', every: 60 },
      ['config.url: only secrets are known where a trigger is set up (character 2 of ` trigger.url `)'],
    ],
    [
      'email',
      { host: 'h', user: 'u', password: 'p', port: 0 },
      ['config.port: must be a whole number from 1 to 65535'],
    ],
    ['email', { host: 'h', user: 'u', password: 'p', tls: 'yes' }, ['config.tls: must be true or false, not string']],
    ['billing_event', { events: 'all' }, ['config.events: must be a list of texts, not string']],
    ['billing_event', { events: [''] }, ['config.events[0]: is empty']],
    [
      'signal',
      { signal: 'approve-x' },
      ['config.signal: names that begin with $ or approve- are taken [choose another name]'],
    ],
    [
      'signal',
      { signal: '{{ vars.name }}' },
      ['config.signal: expressions are not read here [write the value itself]'],
    ],
    ['signal', { signal: 'x'.repeat(201) }, ['config.signal: is longer than 200 characters']],
    [
      'workflow_completed',
      { workflow: 'w', status: 'done' },
      ['config.status: must be "completed" or "failed" or "cancelled" or "any"'],
    ],
    ['error', { workflw: 'w' }, ['config.workflw: unknown key of the config of error [did you mean "workflow"?]']],
  ])('%s %j are wrong', (type, config, expected) => {
    expect(errors(type, config)).toEqual(expected);
  });
});

describe('cron', () => {
  test.each([
    '* * * * *',
    '0 0 1 1 *',
    '*/15 8-18 * * mon-fri',
    '5,35 0/6 1-31/2 JAN,Jul 7',
    '0 0 29 2 *',
    '0 0 31 2 0',
    '  30   9 * * 1  ',
    '@daily',
    '@Hourly',
  ])('reads %s', (text) => {
    expect(cronFault(text)).toBeNull();
  });

  test.each<[string, string]>([
    ['', 'has 1 of 5 fields: minute, hour, day of the month, month, day of the week'],
    ['* * * *', 'has 4 of 5 fields: minute, hour, day of the month, month, day of the week'],
    ['0 * * * * *', 'has 6 of 5 fields: minute, hour, day of the month, month, day of the week'],
    ['60 * * * *', 'minute: 60 is not from 0 to 59'],
    ['* 24 * * *', 'hour: 24 is not from 0 to 23'],
    ['* * 0 * *', 'day of the month: 0 is not from 1 to 31'],
    ['* * * 13 *', 'month: 13 is not from 1 to 12'],
    ['* * * * 8', 'day of the week: 8 is not from 0 to 7'],
    ['* * * * moon', 'day of the week: moon is not from 0 to 7'],
    ['30-10 * * * *', 'minute: 30-10 ends before it begins'],
    ['10-99 * * * *', 'minute: 99 is not from 0 to 59'],
    ['*/0 * * * *', 'minute: the step 0 is not from 1 to 59'],
    ['*/60 * * * *', 'minute: the step 60 is not from 1 to 59'],
    ['1,,2 * * * *', 'minute: cannot read ""'],
    ['-1 * * * *', 'minute: cannot read "-1"'],
    ['* * L * *', 'day of the month: l is not from 1 to 31'],
    ['* * 15W * *', 'day of the month: cannot read "15w"'],
    ['? * * * *', 'minute: cannot read "?"'],
    ['0 0 30 2 *', 'names a day that no month of it has'],
    ['0 0 31 2,4,6 *', 'names a day that no month of it has'],
    ['@dayly', '@dayly is not one of @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'],
    [`${'1,'.repeat(100)}1 * * * *`, 'is longer than 200 characters'],
  ])('refuses %j', (text, fault) => {
    expect(cronFault(text)).toBe(fault);
  });
});

test('voice_event takes a list of events, or none', () => {
  expect(errors('voice_event')).toEqual([]);
  expect(errors('voice_event', { events: ['room_finished'] })).toEqual([]);
  expect(errors('voice_event', { events: 'room_finished' })).toHaveLength(1);
});

describe('the signature of an http trigger', () => {
  const secret = '{{ secret.HOOK }}';

  test.each<[JsonObject]>([
    [{ preset: 'github', secret }],
    [{ preset: 'stripe', secret, tolerance: '1m' }],
    [{ header: 'X-Signature', secret }],
    [{ header: 'x-sig', algorithm: 'sha512', encoding: 'base64', prefix: 'v1=', secret }],
    [{ header: 'x-sig', timestamp_header: 'x-time', signed: 'v1:{timestamp}:{body}', tolerance: 30, secret }],
  ])('may be %j', (signature) => {
    expect(errors('http', { signature })).toEqual([]);
  });

  test.each<[JsonObject, string]>([
    [{ preset: 'github' }, 'config.signature.secret: is missing [write {{ secret.NAME }}]'],
    [
      { preset: 'github', secret: 'abc' },
      'config.signature.secret: must be one secret and nothing else [write {{ secret.NAME }}]',
    ],
    [{ preset: 'github', header: 'x', secret }, 'config.signature.header: unknown key of a signature with a preset'],
    [{ secret }, 'config.signature.header: is missing'],
    [{ header: 'x sig', secret }, 'config.signature.header: is not the name of a header'],
    [{ header: 'x-sig', tolerance: '1m', secret }, 'config.signature.tolerance: needs timestamp_header'],
    [{ header: 'x-sig', signed: '{timestamp}', secret }, 'config.signature.signed: does not sign the body'],
    [
      { header: 'x-sig', timestamp_header: 'x-time', signed: '{body}', secret },
      'config.signature.signed: does not sign the time',
    ],
    [{ header: 'x-sig', algorithm: 'md5', secret }, 'config.signature.algorithm: must be "sha256" or'],
  ])('cannot be %j', (signature, message) => {
    expect(errors('http', { signature }).join('\n')).toContain(message);
  });

  test('has a preset that is known, with a hint for one that is spelt another way', () => {
    expect(errors('http', { signature: { preset: 'githib', secret } })[0]).toContain('did you mean "github"?');
  });

  test('uses secrets only', () => {
    expect(
      errors('http', { signature: { preset: 'github', secret: '{{ trigger.body.key }}' } }).length,
    ).toBeGreaterThan(0);
  });
});

describe('the value by which an http trigger recognises repeats', () => {
  test('is an expression over the request', () => {
    expect(errors('http', { dedupe: '{{ trigger.body.id }}' })).toEqual([]);
    expect(errors('http', { dedupe: 'order-{{ trigger.headers["x-id"] ?? trigger.query.id }}' })).toEqual([]);
    expect(errors('http', { dedupe: 'id' })).toEqual([
      'config.dedupe: must be text with an expression [write "{{ trigger.body.id }}"]',
    ]);
    expect(errors('http', { dedupe: '{{ steps.a.id }}' })[0]).toContain('steps');
    expect(errors('http', { dedupe: '{{ secret.KEY }}' })[0]).toContain('secret');
  });
});
