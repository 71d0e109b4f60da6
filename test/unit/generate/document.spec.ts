import Ajv from 'ajv/dist/2020';
import { ERRORS } from '../../../lib/errors';
import document from '../../../services/api-gateway/openapi/document.json';
import { ROUTES } from '../../../services/api-gateway/routes';

interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  security: object[];
  parameters?: Record<string, unknown>[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { example?: unknown }> }>;
}

const operations = Object.entries(document.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const find = (operationId: string): Operation => {
  const found = operations.find(({ operation }) => operation.operationId === operationId)?.operation;
  if (found === undefined) throw new Error(`There is no operation ${operationId}`);
  return found;
};
const pointer = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

describe('the OpenAPI document', () => {
  test('has every route once, with its role, its variables and a unique name', () => {
    const documented = operations
      .map(({ path, method }) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`)
      .sort();
    expect(documented).toEqual(ROUTES.map(({ method, path }) => `${method} ${path.replace(/:\w+\*?/g, '{}')}`).sort());
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(ROUTES.length);
    for (const { path, operation } of operations) {
      const inPath = (operation.parameters ?? []).flatMap(({ in: where, name }) => (where === 'path' ? [name] : []));
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(operation.summary).not.toBe('');
    }
  });

  test('has stable operation names', () => {
    const names = ['workflows.create', 'executions.stream', 'files.download', 'webhooks.start_and_wait', 'auth.login'];
    for (const name of [...names, 'connections.oauth_start_suite']) expect(find(name).operationId).toBe(name);
  });

  test('describes a route as its tables, rules and types do', () => {
    const create = find('workflows.create');
    expect(create.security).toEqual([{ bearer: [] }]);
    expect(create.parameters).toEqual([{ $ref: '#/components/parameters/Idempotency-Key' }]);
    const body = create.requestBody?.content['application/json'] as { schema: { required: string[] } };
    expect(body.schema.required).toEqual(['name', 'dsl']);
    const made = create.responses['201']?.content?.['application/json'] as { schema: object };
    expect(made.schema).toEqual({ $ref: '#/components/schemas/WorkflowView' });
    expect(Object.keys(create.responses)).toEqual(expect.arrayContaining(['400', '401', '403', '409', '413', '429']));
    // Parameters that the gateway sets are not documented.
    const asked = JSON.stringify(find('auth.login').requestBody);
    expect([asked.includes('tenant_slug'), asked.includes('address')]).toEqual([true, false]);
    // Fields that the gateway removes or turns into a status are not documented.
    expect(Object.keys(find('secrets.put').responses)).toEqual(expect.arrayContaining(['200', '201']));
    expect(JSON.stringify(find('workflows.trigger').responses['202'])).not.toContain('replayed');
  });

  test('has only existing error codes, each under its own status', () => {
    for (const [name, { content }] of Object.entries(
      document.components.responses as Record<string, { content: Record<string, { schema: unknown }> }>,
    )) {
      const [, { properties }] = (
        content['application/json'] as { schema: { allOf: [object, { properties: { code: { enum: string[] } } }] } }
      ).schema.allOf;
      for (const code of properties.code.enum) {
        expect([code, ERRORS[code as keyof typeof ERRORS].status]).toEqual([code, Number(name.slice(1, 4))]);
      }
    }
  });

  test('has examples that match its schemas', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'api');
    let tried = 0;
    for (const { path, method, operation } of operations) {
      const at = `api#/paths/${pointer(path)}/${method}`;
      const examples: [string, unknown][] = [
        [
          `${at}/requestBody/content/application~1json/schema`,
          operation.requestBody?.content['application/json']?.example,
        ],
        ...Object.entries(operation.responses).map(([status, { content }]): [string, unknown] => [
          `${at}/responses/${status}/content/application~1json/schema`,
          content?.['application/json']?.example,
        ]),
      ];
      for (const [schema, example] of examples) {
        if (example === undefined) continue;
        const validate = ajv.getSchema(schema);
        expect([schema, validate?.(example), validate?.errors ?? null]).toEqual([schema, true, null]);
        tried += 1;
      }
    }
    expect(tried).toBeGreaterThan(80);
  });
});
