import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020';
import { TEMPLATES } from '../../../console/src/model/templates';
import type { Json, JsonObject } from '../../../lib/json';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';
import { allServices } from '../../support/services';

let app: TestApp;
let validate: ValidateFunction;

beforeAll(async () => {
  app = await startApp({ services: [allServices] });
  const { status, body } = await ask(app, 'GET /api/v1/schema');
  expect(status).toBe(200);
  validate = new Ajv({ strict: false, validateFormats: false, inlineRefs: false }).compile(body);
}, 60_000);
afterAll(() => app.close());

const GOLDEN = join(__dirname, '../../golden/documents');
const golden = readdirSync(GOLDEN).filter((name) => name.endsWith('.json'));

const faultsOf = (document: Json): string[] =>
  validate(document)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);

const dslOf = (step: Json, more: JsonObject = {}): JsonObject => ({
  id: 'd',
  trigger: { type: 'manual' },
  steps: [step],
  ...more,
});
const SET: JsonObject = { id: 'a', type: 'set', config: { n: 1 } };

test.each(golden)('%s is valid', (name) => {
  const { document } = JSON.parse(readFileSync(join(GOLDEN, name), 'utf8')) as { document?: Json };
  expect(document).toBeDefined();
  expect(faultsOf(document as Json)).toEqual([]);
});

test.each(TEMPLATES.map(({ name, dsl }) => [name, dsl] as const))('the template %s is valid', (_name, dsl) => {
  expect(faultsOf(dsl as unknown as Json)).toEqual([]);
});

const VALID: Readonly<Record<string, JsonObject>> = {
  'an expression in place of a number': dslOf({ id: 'n', type: 'wait', config: { for: '{{ trigger.seconds }}' } }),
  'an expression in place of a word': dslOf({
    id: 'n',
    type: 'http_request',
    config: { url: 'https://a.example', method: '{{ trigger.method }}' },
  }),
  'a custom node and an alias': dslOf({ id: 'n', type: 'custom-mine', config: { any: 1 } }),
  'keys of the canvas': dslOf({ ...SET, x_color: 'red', ui: {} }, { notes: 'n', position: {} }),
  'several triggers': {
    id: 'd',
    triggers: [{ type: 'manual' }, { type: 'schedule', config: { cron: '0 9 * * *' } }],
    steps: [SET],
  },
  '$schema at the top': dslOf(SET, { $schema: 'http://127.0.0.1/api/v1/schema' }),
};

const INVALID: Readonly<Record<string, JsonObject>> = {
  'no steps': { id: 'd', trigger: { type: 'manual' }, steps: [] },
  'no trigger': { id: 'd', steps: [SET] },
  'an unknown key of a document': dslOf(SET, { stepz: [] }),
  'an unknown key of a step': dslOf({ ...SET, retries: 3 }),
  'a step without a type': dslOf({ id: 'a' }),
  'an id with a space': dslOf({ ...SET, id: 'a b' }),
  'an unknown type': dslOf({ id: 'a', type: 'htp_request', config: {} }),
  'a request without an address': dslOf({ id: 'a', type: 'http_request', config: { method: 'GET' } }),
  'an unknown setting of a type': dslOf({
    id: 'a',
    type: 'http_request',
    config: { url: 'https://a.example', metod: 'GET' },
  }),
  'cases of a step that is no branch': dslOf({ ...SET, cases: [] }),
  'a loop without steps': dslOf({ id: 'a', type: 'foreach', config: { items: [1] } }),
  'a fault in a case': dslOf({
    id: 'a',
    type: 'branch',
    cases: [{ when: '{{ true }}', steps: [{ id: 'b', type: 'nope' }] }],
  }),
  'too many attempts': dslOf({ ...SET, retry: { max_attempts: 1_000 } }),
  'a schedule without times': { ...dslOf(SET), trigger: { type: 'schedule', config: {} } },
  'an unknown trigger': { ...dslOf(SET), trigger: { type: 'cronn' } },
  '$schema in a step': dslOf({ ...SET, $schema: 'x' }),
};

describe('the schema and the validator agree', () => {
  let token: string;
  beforeAll(async () => {
    token = (await registerTenant(app)).token;
  });
  const isValid = async (dsl: JsonObject): Promise<unknown> =>
    (await ask(app, 'POST /api/v1/workflows/validate', { token, body: { dsl } })).body.valid;

  test.each(Object.entries(VALID))('that %s is valid', async (_what, document) => {
    expect(faultsOf(document)).toEqual([]);
    expect(await isValid(document)).toBe(true);
  });
  test.each(Object.entries(INVALID))('that %s is not', async (_what, document) => {
    expect(faultsOf(document)).not.toEqual([]);
    expect(await isValid(document)).toBe(false);
  });
  test('on $schema, which is kept with the document and has no effect', async () => {
    const dsl = dslOf(SET, { $schema: 'http://127.0.0.1/api/v1/schema' });
    const made = await ask(app, 'POST /api/v1/workflows', { token, body: { name: 'With schema', dsl } });
    expect(made).toMatchObject({ status: 201, body: { dsl } });
  });
});
