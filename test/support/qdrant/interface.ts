import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv/dist/2019';
import { isObject } from '../../../lib/json';

/** Qdrant's published OpenAPI description. Without it nothing is checked, and the tests print a warning. */
const QDRANT_OPENAPI =
  process.env.QDRANT_OPENAPI ?? resolve(__dirname, '../../../../shared/conformance/qdrant/openapi.json');

/** A request, or an answer, as it went over the wire; `template` is the path as the description has it. */
export interface Exchange {
  readonly method: string;
  readonly template: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Returns the violation of the description; null for a valid exchange. */
export interface Interface {
  requestFault(exchange: Exchange): string | null;
  answerFault(exchange: Exchange, status: number, answer: unknown): string | null;
}

/** Null where the description is missing. */
export function qdrantInterface(): Interface | null {
  if (!existsSync(QDRANT_OPENAPI)) {
    console.warn(`Requests to Qdrant, and its answers, are NOT checked: there is no ${QDRANT_OPENAPI}`);
    return null;
  }
  return readInterface(JSON.parse(readFileSync(QDRANT_OPENAPI, 'utf8')) as Description);
}

type Schema = Record<string, unknown>;
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Schema;
}

const JSON_TYPE = 'application/json';

function readInterface({ paths, components }: Description): Interface {
  // Formats such as uint64 are ranges that are in the schemas as well.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ $id: 'qdrant', components: asJsonSchema(components) });
  const compiled = new Map<Schema, ValidateFunction>();
  const faultBy = (schema: Schema, value: unknown, isClosed: boolean): string | null => {
    let check = compiled.get(schema);
    if (check === undefined) {
      const whole = asJsonSchema(schema) as Schema;
      check = ajv.compile(isClosed ? { allOf: [whole], unevaluatedProperties: false } : whole);
      compiled.set(schema, check);
    }
    return check(value) ? null : ajv.errorsText(check.errors);
  };
  const operationOf = ({ template, method }: Exchange): Operation | undefined =>
    paths[template]?.[method.toLowerCase()];

  return {
    requestFault(exchange) {
      const operation = operationOf(exchange);
      if (operation === undefined) return `there is no ${exchange.method} ${exchange.template}`;
      for (const [name, text] of exchange.query) {
        const parameter = operation.parameters?.find((each) => each.in === 'query' && each.name === name);
        if (parameter === undefined) return `there is no parameter ${name}`;
        const fault = faultBy(parameter.schema, valueIn(text), false);
        if (fault !== null) return `${name}: ${fault}`;
      }
      const schema = operation.requestBody?.content[JSON_TYPE]?.schema;
      if (schema === undefined) return exchange.body === undefined ? null : 'no body is taken';
      return faultBy(schema, exchange.body, true);
    },
    answerFault(exchange, status, answer) {
      const { responses } = operationOf(exchange) ?? { responses: {} };
      const described = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
      const schema = described?.content?.[JSON_TYPE]?.schema;
      return schema === undefined ? `no answer ${status} is described` : faultBy(schema, answer, false);
    },
  };
}

const valueIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** OpenAPI 3.0 says `nullable` for what JSON Schema says with a type, and has references by places in its own document. */
function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema);
  if (!isObject(schema)) return schema;
  const { nullable, example: _example, ...rest } = schema;
  const made = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, asJsonSchema(value)])) as Schema;
  if (typeof made.$ref === 'string') made.$ref = made.$ref.replace(/^#/, 'qdrant#');
  if (nullable !== true) return made;
  return Object.keys(made).length === 0 ? { type: 'null' } : { anyOf: [made, { type: 'null' }] };
}
