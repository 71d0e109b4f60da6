import { CONTROL_TYPES } from '../../../dsl/control';
import { isObject } from '../../../lib/json';
import { compileSchema } from '../../../lib/json-schema';
import { nodes } from '../../../nodes';
import { controls } from '../../../nodes/control';
import { CATEGORIES } from '../../../nodes/contract';

/** The schemas for forms of an editor, with their owners. */
const SCHEMAS: readonly (readonly [string, unknown])[] = [
  ...[...nodes.types.values()].flatMap((node) => [
    [`${node.type}.input`, node.input] as const,
    [`${node.type}.output`, node.output] as const,
    ...(node.tool === undefined ? [] : [[`${node.type}.tool`, node.tool.parameters] as const]),
  ]),
  ...Object.values(controls).flatMap(({ type, input, output, step }) => [
    [`${type}.input`, input] as const,
    [`${type}.output`, output] as const,
    [`${type}.step`, step] as const,
  ]),
];

/** Keywords with schemas of values, and keywords that only test other properties. */
const NOT_DRAWN: ReadonlySet<string> = new Set(['examples', 'default', 'enum', 'const', 'if', 'not']);

/** Every property anywhere in a schema, by its path. A property that is only named (`true`) describes nothing. */
function propertiesIn(schema: unknown, path: string): [string, Record<string, unknown>][] {
  if (Array.isArray(schema)) return schema.flatMap((each, index) => propertiesIn(each, `${path}[${index}]`));
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    if (NOT_DRAWN.has(key)) return [];
    if (key !== 'properties' || !isObject(value)) return propertiesIn(value, `${path}.${key}`);
    return Object.entries(value).flatMap(([name, property]) => [
      ...(isObject(property) ? [[`${path}.${name}`, property] as [string, Record<string, unknown>]] : []),
      ...propertiesIn(property, `${path}.${name}`),
    ]);
  });
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

test.each(SCHEMAS)('%s has a title and a description for each property', (name, schema) => {
  const silent = propertiesIn(schema, name).filter(
    ([, { title, description }]) => !isText(title) || !isText(description),
  );
  expect(silent.map(([path]) => path)).toEqual([]);
});

test.each(SCHEMAS)('%s uses known keywords', (_, schema) => {
  const compiled = compileSchema(schema);
  expect(compiled.kind === 'refused' ? compiled.faults : []).toEqual([]);
});

test.each(SCHEMAS)('%s has titles for all values of an enum, or for none', (_, schema) => {
  const lists: unknown[] = [];
  const visit = (value: unknown): void => {
    if (isObject(value) && 'x-enum-titles' in value) lists.push([value.enum, value['x-enum-titles']]);
    if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(schema);
  for (const pair of lists) {
    const [values, titles] = pair as [unknown[], unknown[]];
    expect(titles).toHaveLength(values.length);
    expect(titles.every(isText)).toBe(true);
  }
});

test('the types with steps are described as the language defines them', () => {
  const described = Object.values(controls).map(({ type, aliases, step, input }) => ({
    type,
    aliases,
    keys: Object.keys(step.properties as object).sort(),
    config: Object.keys(input.properties as object).sort(),
  }));
  const known = Object.entries(CONTROL_TYPES).map(([type, { aliases, keys, config }]) => ({
    type,
    aliases: [...aliases],
    keys: [...keys].sort(),
    config: [...config].sort(),
  }));
  expect(described).toEqual(known);
});

test('every type has a title, a description and a category', () => {
  for (const { type, title, description, category } of [...nodes.types.values(), ...Object.values(controls)]) {
    expect({ type, described: [title, description].every(isText) }).toEqual({ type, described: true });
    expect(CATEGORIES).toContain(category);
  }
});
