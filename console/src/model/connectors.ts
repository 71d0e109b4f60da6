/** What the catalogue of connectors shows of a JSON Schema: one row for each member. */
interface SchemaRow {
  readonly name: string;
  /** Such as `text`, `list of object`, or the values that are allowed. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const MAX_CHOICES = 8;

/** The members of an object; empty for a schema without any. */
export function schemaRows(schema: unknown): readonly SchemaRow[] {
  if (!isSchema(schema) || !isSchema(schema.properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(schema.properties).map(([name, member]) => ({
    name,
    type: typeText(member),
    isRequired: required.has(name),
    description: isSchema(member) && typeof member.description === 'string' ? member.description : '',
  }));
}

const WORDS: Readonly<Record<string, string>> = { string: 'text', array: 'list', boolean: 'true or false' };

function typeText(schema: unknown): string {
  if (!isSchema(schema)) return 'any';
  if (Array.isArray(schema.enum)) return choicesText(schema.enum);
  if ('const' in schema) return JSON.stringify(schema.const);
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return [...new Set(options.map(typeText))].join(' or ');
  const { type } = schema;
  if (Array.isArray(type)) return type.map((each) => WORDS[String(each)] ?? String(each)).join(' or ');
  if (type === 'array' && isSchema(schema.items)) return `list of ${typeText(schema.items)}`;
  return typeof type === 'string' ? (WORDS[type] ?? type) : 'any';
}

function choicesText(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MAX_CHOICES)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return shown.join(' | ') + (values.length > shown.length ? ' | …' : '');
}

interface Named {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}
interface Searched extends Named {
  readonly category: string;
  readonly actions: readonly Named[];
}

/** Connectors with all words of a search in their own texts or in those of one action. */
export function connectorsMatching<C extends Searched>(
  all: readonly C[],
  search: string,
  category: string,
): readonly C[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((connector) => {
    if (category !== '' && connector.category !== category) return false;
    const own = textOf(connector);
    return [own, ...connector.actions.map((action) => `${own} ${textOf(action)}`)].some((text) =>
      words.every((word) => text.includes(word)),
    );
  });
}

const textOf = ({ name, title, description }: Named): string => `${name} ${title} ${description}`.toLowerCase();

interface Auth {
  readonly required: boolean;
  readonly oauth: { readonly provider: string } | null;
  readonly fields: readonly unknown[];
}

/** How an account of a connector is connected. `hasApp`: there is a provider for which an OAuth app can be registered. */
export function connectionKinds({ required, oauth, fields }: Auth, hasApp: boolean): string {
  const kinds = [oauth === null && !hasApp ? null : 'OAuth', fields.length === 0 ? null : 'credentials'].filter(
    Boolean,
  );
  if (kinds.length === 0) return 'No account';
  const text = kinds.join(' or ') + (required ? '' : ', if wanted');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The credentials of a form: the fields that are filled. */
export const credentialsOf = (
  fields: readonly { readonly name: string }[],
  values: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = values[`field.${name}`] ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );

/** What a new custom node begins as. */
export const CUSTOM_NODE_TEMPLATE = {
  name: 'weather',
  label: 'Weather',
  description: 'The weather in a city, now',
  kind: 'tool',
  config_fields: [{ name: 'city', label: 'City', type: 'string', required: true }],
  request: { method: 'GET', url: 'https://api.example.com/weather', query: { q: '{{ config.city }}' } },
  outputs: [{ name: 'temperature', path: 'body.main.temp' }],
};

/** The members of a custom node that its author writes. */
export const definitionOf = (node: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    ['label', 'description', 'icon', 'color', 'kind', 'config_fields', 'request', 'outputs', 'poll'].flatMap((name) =>
      node[name] === undefined || node[name] === null ? [] : [[name, node[name]]],
    ),
  );
