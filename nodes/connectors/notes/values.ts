import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { InvalidInputError } from '../invalid-input-error';
import { listAt, numberAt, objectAt, withoutUndefined, textAt } from '../values';
import { plainText, richText } from './rich-text';

/** How one kind of property is written from a plain value, and read as one. */
interface Kind {
  write(value: Json): Json;
  read(property: JsonObject): Json;
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

const texts = (value: Json): string[] => (Array.isArray(value) ? value : value === null ? [] : [value]).map(asText);

const cleared = (value: Json, write: (value: Json) => Json): Json => (value === null ? null : write(value));

const text = (name: string): Kind => ({
  write: (value) => (value === null ? [] : richText(asText(value))),
  read: (property) => plainText(property, name),
});

const choice = (name: string): Kind => ({
  write: (value) => cleared(value, (one) => ({ name: asText(one) })),
  read: (property) => textAt(property, name, 'name') ?? null,
});

const same = (name: string): Kind => ({
  write: (value) => cleared(value, asText),
  read: (property) => textAt(property, name) ?? null,
});

const ids = (name: string): Kind => ({
  write: (value) => texts(value).map((id) => ({ id })),
  read: (property) => listAt(property, name).flatMap((one) => textAt(one, 'id') ?? []),
});

function number(value: Json): Json {
  const given = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof given !== 'number' || !Number.isFinite(given)) throw new InvalidInputError('must be a number');
  return given;
}

function checkbox(value: Json): boolean {
  if (typeof value === 'boolean') return value;
  if (value === null) return false;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new InvalidInputError('must be true or false');
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['title', text('title')],
  ['rich_text', text('rich_text')],
  ['number', { write: (value) => cleared(value, number), read: (property) => numberAt(property, 'number') ?? null }],
  ['select', choice('select')],
  ['status', choice('status')],
  [
    'multi_select',
    {
      write: (value) => texts(value).map((name) => ({ name })),
      read: (property) => listAt(property, 'multi_select').flatMap((one) => textAt(one, 'name') ?? []),
    },
  ],
  [
    'date',
    {
      write: (value) => cleared(value, (one) => (isObject(one) ? one : { start: asText(one) })),
      read: (property) =>
        textAt(property, 'date', 'end') === undefined
          ? (textAt(property, 'date', 'start') ?? null)
          : objectAt(property, 'date'),
    },
  ],
  ['checkbox', { write: checkbox, read: (property) => property.checkbox === true }],
  ['url', same('url')],
  ['email', same('email')],
  ['phone_number', same('phone_number')],
  ['people', ids('people')],
  ['relation', ids('relation')],
  [
    'files',
    {
      write: (value) => texts(value).map((url) => ({ name: url.slice(0, 100), type: 'external', external: { url } })),
      read: (property) =>
        listAt(property, 'files').flatMap((one) => textAt(one, 'external', 'url') ?? textAt(one, 'file', 'url') ?? []),
    },
  ],
]);

/** Properties of the provider's from plain values, by what kind each is. @throws InvalidInputError */
export function propertiesOf(values: JsonObject, kindOf: (name: string) => string | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const type = kindOf(name);
      if (type === undefined) throw new InvalidInputError(`there is no property "${name}"`);
      const kind = KINDS.get(type);
      if (kind === undefined)
        throw new InvalidInputError(`the property "${name}" is a ${type}, which cannot be written`);
      return [name, { [type]: written(name, kind, value) }];
    }),
  );
}

function written(name: string, kind: Kind, value: Json): Json {
  try {
    return kind.write(value);
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) throw new InvalidInputError(`"${name}" ${thrown.message}`);
    throw thrown;
  }
}

/** Plain values of properties; other types of properties are unchanged. */
function valuesOf(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const type = textAt(property, 'type') ?? '';
      const read = KINDS.get(type)?.read ?? ((one: JsonObject) => one[type] ?? null);
      return [name, read(objectAt(property))];
    }),
  );
}

/** A page as it comes, with its title and plain values. */
export function pageOf(page: Json): JsonObject {
  const properties = objectAt(page, 'properties');
  const title = Object.values(properties).find((property) => textAt(property, 'type') === 'title');
  return withoutUndefined({
    ...objectAt(page),
    title: title === undefined ? undefined : plainText(title, 'title'),
    values: valuesOf(properties),
  });
}
