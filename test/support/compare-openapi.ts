import { readFileSync } from 'node:fs';
import { isObject } from '../../lib/json';

/**
 * Incompatible changes between two OpenAPI documents: operations, params, fields of bodies, types of fields, statuses
 * and error codes. `node test/support/run.mjs test/support/compare-openapi.ts BEFORE.json AFTER.json` fails when there is any.
 */
function lostIn(before: unknown, after: unknown): string[] {
  const now = new Set(factsOf(after));
  return factsOf(before).filter((fact) => !now.has(fact));
}

type Node = Readonly<Record<string, unknown>>;

const nodeOf = (value: unknown): Node => (isObject(value) ? (value as Node) : {});

/** One line for each detail on which clients rely. */
function factsOf(document: unknown): string[] {
  const root = nodeOf(document);
  const resolve = (value: unknown): Node => {
    const node = nodeOf(value);
    if (typeof node.$ref !== 'string') return node;
    const found = node.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => nodeOf(at)[key], root);
    return resolve(found);
  };
  const facts = new Set<string>();

  const shape = (value: unknown, at: string, above: readonly string[]): void => {
    const { $ref } = nodeOf(value);
    const name = typeof $ref === 'string' ? $ref : '';
    if (name !== '' && above.includes(name)) return;
    const within = name === '' ? above : [...above, name];
    const schema = resolve(value);
    for (const key of ['type', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'] as const)
      if (schema[key] !== undefined) facts.add(`${at} ${key} ${textOf(schema[key])}`);
    for (const word of listOf(schema.enum)) facts.add(`${at} enum ${JSON.stringify(word)}`);
    for (const each of [...listOf(schema.anyOf), ...listOf(schema.allOf)]) shape(each, at, within);
    const required = listOf(schema.required);
    for (const [field, member] of Object.entries(nodeOf(schema.properties))) {
      facts.add(`${at}.${field}${required.includes(field) ? '' : '?'}`);
      shape(member, `${at}.${field}`, within);
    }
    if (schema.items !== undefined) shape(schema.items, `${at}[]`, within);
    if (isObject(schema.additionalProperties)) shape(schema.additionalProperties, `${at}.*`, within);
  };
  const bodies = (content: unknown, at: string): void => {
    for (const [type, { schema }] of Object.entries(nodeOf(content)).map(
      ([key, each]) => [key, nodeOf(each)] as const,
    )) {
      facts.add(`${at} ${type}`);
      shape(schema, `${at} ${type}`, []);
    }
  };

  for (const [path, methods] of Object.entries(nodeOf(root.paths)))
    for (const [method, given] of Object.entries(nodeOf(methods))) {
      const operation = nodeOf(given);
      const at = `${method.toUpperCase()} ${path}`;
      facts.add(`${at} is ${textOf(operation.operationId)}`);
      facts.add(`${at} role ${textOf(operation['x-role'])} security ${textOf(operation.security)}`);
      for (const each of listOf(operation.parameters).map(resolve)) {
        const place = `${at} ${textOf(each.in)} ${textOf(each.name)}${each.required === true ? '' : '?'}`;
        facts.add(place);
        shape(each.schema, place, []);
      }
      const body = nodeOf(operation.requestBody);
      if (operation.requestBody !== undefined) facts.add(`${at} body${body.required === true ? '' : '?'}`);
      bodies(body.content, `${at} body`);
      for (const [status, response] of Object.entries(nodeOf(operation.responses))) {
        const answer = resolve(response);
        facts.add(`${at} answers ${status}`);
        for (const header of Object.keys(nodeOf(answer.headers))) facts.add(`${at} answers ${status} header ${header}`);
        bodies(answer.content, `${at} answers ${status}`);
      }
    }
  return [...facts];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** Sorted, because the order of sets does not matter. */
const textOf = (value: unknown): string =>
  Array.isArray(value)
    ? JSON.stringify(
        (value as unknown[]).map((each) => String(JSON.stringify(each))).toSorted((a, b) => (a < b ? -1 : 1)),
      )
    : String(JSON.stringify(value));

const [before = '', after = ''] = process.argv.slice(2);
const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const lost = lostIn(read(before), read(after));
process.stdout.write(lost.length === 0 ? 'Nothing is lost\n' : `${lost.join('\n')}\n`);
process.exitCode = lost.length === 0 ? 0 : 1;
