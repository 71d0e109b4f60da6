import fc from 'fast-check';
import { lineOf } from '../../../lib/logging/line';
import { redactText, redactValue } from '../../../lib/logging/redact';

const MARK = 'hunter2Hunter3';

describe('a text that is logged', () => {
  it.each([
    `connect ECONNREFUSED mongodb://root:${MARK}@10.0.0.1:27017/db?authSource=admin`,
    `redis://:${MARK}@cache:6379`,
    `postgres://user:p@ss${MARK}@db/x`,
    `https://${MARK}@hooks.example.com/a`,
    `smtps://user%40example.com:${MARK}@mail`,
    `GET https://api.example.com/v1?access_token=${MARK}&page=2`,
    `/callback?state=x&code_verifier=${MARK}`,
    `Authorization: Bearer ${MARK}`,
    `authorization: "Basic ${MARK}=="`,
    `the provider answered: bearer ${MARK} is unknown`,
    `{"password":"${MARK}","user":"ann"}`,
    `{"client_secret": "a\\"${MARK}"}`,
    `{ apiKey: '${MARK}' }`,
    `x-api-key: ${MARK}`,
    `Set-Cookie: ${MARK}=1`,
    `password=${MARK}; host=db`,
    `Server=db;Password=${MARK};`,
    `Incorrect API key provided: sk-proj-${MARK}`,
    `key evs_${MARK}x8sdf8sdf is not known`,
    `xoxb-${MARK}-123`,
    `eyJhbGciOiJIUzI1NiJ9.${MARK}.abc`,
    `-----BEGIN PRIVATE KEY-----\n${MARK}\n-----END PRIVATE KEY-----`,
    `-----BEGIN RSA PRIVATE KEY-----\n${MARK}`,
  ])('loses the credential in %s', (text) => {
    const left = redactText(`before ${text} after`);
    expect(left).not.toContain(MARK);
    expect(left).toContain('***');
    expect(left.startsWith('before ')).toBe(true);
  });

  it.each([
    'Schedule 5f6b: the source has not answered within 30 s',
    'GET /api/v1/workflows/0a1b2c3d failed, request 01a1fe5e-e0b9-720c-a419-fc3a3ccaf089',
    'E11000 duplicate key error collection: test.users index: by_email dup key: { email: "***" }',
    'MASTER_KEY was rotated out; set it to the new key',
    'http://localhost:3000/health answered 200, at 12:30:01',
    'The skills_of_20_tenants_are_moved, tokens: 12, basic plan',
    '{"max_tokens":100,"ok":true,"password":null}',
  ])('stays as it is where there is none: %s', (text) => expect(redactText(text)).toBe(text));

  it('of megabytes is cut, and read in a moment', () => {
    for (const part of ['a', 'a:', '"', 'eyJ', '://', '-----BEGIN PRIVATE KEY-----', 'x=', '\\"']) {
      const began = performance.now();
      expect(redactText(part.repeat(3_000_000 / part.length)).length).toBeLessThan(100_000);
      expect(performance.now() - began).toBeLessThan(2_000);
    }
  });
});

describe('a value that is logged', () => {
  it('loses what its members are named to be, at any depth, and keeps the rest', () => {
    const given = {
      headers: { Authorization: MARK, 'X-Api-Key': MARK, 'set-cookie': [MARK], accept: 'json' },
      credentials: { user: MARK },
      oauth: { access_token: MARK, refreshToken: MARK, expires_in: 3600 },
      list: [{ botToken: MARK }, `token=${MARK}`],
      [`password=${MARK}`]: 1,
      buffer: Buffer.from(MARK),
      tokens: 7,
      input_tokens: 3,
      at: new Date(0),
    };
    const written = JSON.stringify(redactValue(given));
    expect(written).not.toContain(MARK);
    expect(JSON.parse(written)).toMatchObject({
      headers: { Authorization: '***', accept: 'json' },
      oauth: { expires_in: 3600 },
      buffer: '(14 bytes)',
      tokens: 7,
      input_tokens: 3,
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it('may hold itself, and anything else', () => {
    const round: Record<string, unknown> = { name: 'round' };
    round.self = round;
    fc.assert(
      fc.property(fc.anything(), (value) => void JSON.stringify(redactValue(value))),
      { numRuns: 200 },
    );
    expect(JSON.stringify(redactValue(round))).toContain('...');
  });
});

describe('a line', () => {
  it('is found by its ids, and says of a fault what went wrong, not what was sent', () => {
    const cause = Object.assign(new Error(`mongodb://u:${MARK}@h`), { requestBodyValues: { prompt: MARK } });
    const fault = Object.assign(new TypeError('failed', { cause }), { code: 'ECONN', response: { body: MARK } });
    const line = lineOf([
      'A call failed',
      fault,
      { request_id: 'r', trace_id: undefined, url: `https://x?token=${MARK}` },
    ]);
    expect(line).toMatchObject({
      words: 'A call failed',
      fields: {
        request_id: 'r',
        err: { type: 'TypeError', code: 'ECONN', message: 'failed', cause: { message: 'mongodb://***@h' } },
        more: [{ url: 'https://x?token=***' }],
      },
    });
    expect(Object.keys(line.fields)).toEqual(['request_id', 'err', 'more']);
    expect(JSON.stringify(line)).not.toContain(MARK);
  });

  it('of a fault alone has its message', () => {
    expect(lineOf([new Error('the disk is full')])).toMatchObject({ words: 'the disk is full', fields: { err: {} } });
  });

  it('without anything else is its message', () => {
    expect(lineOf(['up', {}])).toEqual({ words: 'up', fields: {} });
  });
});
