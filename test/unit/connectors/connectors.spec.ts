import Ajv from 'ajv';
import { compileSchema } from '../../../lib/json-schema';
import { connectors } from '../../../nodes/connectors';
import type { Account, Connector } from '../../../nodes/connectors/contract';
import { isPaged, nodesOf } from '../../../nodes/connectors/node';
import type { JsonSchema } from '../../../nodes/contract';
import { CATEGORIES } from '../../../nodes/contract';

const ajv = new Ajv({ strict: true, allErrors: true });
const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const problems = (schema: JsonSchema, value: unknown): string | null => {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
};

/** An account with an example in each field. */
const sampleAccount = ({ auth }: Connector): Account => ({
  credentials: Object.fromEntries([
    ...auth.fields.map(({ name, example, default: absent }) => [name, example ?? absent ?? 'sample']),
    ...(auth.oauth === undefined ? [] : [['access_token', 'sample']]),
  ]),
});

/** Connectors that only send: they have no action that could test an account. */
const UNASKABLE: ReadonlySet<string> = new Set(['smtp', 'microsoft-teams']);

test('names of connectors are unique and differ from names of imported ones', () => {
  const names = connectors.map(({ name }) => name);
  expect([...new Set(names)]).toEqual(names);
  expect(names.filter((name) => !/^[a-z][a-z0-9-]*$/.test(name) || name.startsWith('custom-'))).toEqual([]);
});

describe.each(connectors.map((connector) => ({ name: connector.name, connector })))('$name', ({ connector }) => {
  const { auth, actions, connectionTest: probe } = connector;

  test('has a title, a description and the address of its API documentation', () => {
    for (const words of [connector.title, connector.description]) expect(isText(words)).toBe(true);
    expect(CATEGORIES).toContain(connector.category);
    expect(new URL(connector.docs).protocol).toBe('https:');
  });

  test('has a base address', () => {
    const base = connector.base(sampleAccount(connector));
    if (actions.every(({ kind }) => kind === 'code') && base === '') return;
    expect(base).toMatch(/^https:\/\/[^/\s]+/);
    expect(URL.canParse(base)).toBe(true);
  });

  test('describes the fields of its accounts', () => {
    const names = auth.fields.map(({ name }) => name);
    expect([...new Set(names)]).toEqual(names);
    for (const { name, title, description } of auth.fields) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect([isText(title), isText(description)]).toEqual([true, true]);
    }
    // A token that was issued outside of OAuth can be entered as well.
    if (auth.oauth !== undefined) expect(names).toContain('access_token');
    if (auth.required) expect(names.length).toBeGreaterThan(0);
  });

  test('has actions of different names', () => {
    const names = actions.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(0);
    expect([...new Set(names)]).toEqual(names);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  test('tests credentials by an action that only reads', () => {
    if (probe === undefined) {
      expect(auth.required && !UNASKABLE.has(connector.name)).toBe(false);
      return;
    }
    const action = actions.find(({ name }) => name === probe.action);
    expect(action?.effect).toBe('read');
    const node = nodesOf(connector).find(({ type }) => type === `${connector.name}.${probe.action}`);
    expect(problems(node?.input ?? {}, probe.input)).toBeNull();
  });

  test.each(nodesOf(connector).map((node) => ({ type: node.type, node })))(
    '$type has schemas that can be used',
    ({ node }) => {
      for (const schema of [node.input, node.output, node.tool?.parameters ?? {}]) {
        expect(() => ajv.compile(schema)).not.toThrow();
        const compiled = compileSchema(schema);
        expect(compiled.kind === 'refused' ? compiled.faults : []).toEqual([]);
      }
      expect(node.tool?.name).toMatch(/^[a-zA-Z0-9_]{1,64}$/);
    },
  );

  test('every member of an input has a title, a description, and examples that fit', () => {
    for (const action of actions) {
      expect([action.name, isText(action.title), isText(action.description)]).toEqual([action.name, true, true]);
      for (const [name, schema] of Object.entries(action.input)) {
        expect([action.name, name, isText(schema.title), isText(schema.description)]).toEqual([
          action.name,
          name,
          true,
          true,
        ]);
        for (const sample of (schema.examples as unknown[] | undefined) ?? [])
          expect([action.name, name, problems(schema, sample)]).toEqual([action.name, name, null]);
      }
    }
  });

  test('required members exist, and none has a reserved name', () => {
    for (const action of actions) {
      const names = Object.keys(action.input);
      expect([action.name, action.required.filter((name) => !names.includes(name))]).toEqual([action.name, []]);
      expect([action.name, names.includes('connection'), isPaged(action) && names.includes('limit')]).toEqual([
        action.name,
        false,
        false,
      ]);
    }
  });

  test('actions that only read may be repeated', () => {
    for (const { name, effect, repeatable } of actions)
      expect([name, effect === 'write' || repeatable]).toEqual([name, true]);
  });
});
