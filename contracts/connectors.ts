import { typed } from './rules';
import type { JsonObject } from '../lib/json';
import { contract } from './contract';
import { pageParams } from '../lib/page';
import type { ImportedAction, ImportedConnector, ImportedHead } from '../nodes/connectors/imported';
import { CATEGORIES } from '../nodes/contract';
import * as s from '../lib/schema';

const CredentialField = s.named(
  'CredentialField',
  s.object({
    name: s.text.about('`^[a-z][a-z0-9_]*$`'),
    title: s.text,
    description: s.text,
    secret: s.boolean.about('Never shown again.'),
    required: s.boolean,
    default: s.text.optional(),
    example: s.text.optional(),
    format: s
      .words('email', 'flag', 'host', 'port', 'url')
      .optional()
      .about('What the text must be; absent: any text.'),
  }),
  'A field of a manual connection.',
);

export const ActionView = s.named(
  'ActionView',
  s.object({
    name: s.text,
    type: s.text.about('What steps call it.'),
    title: s.text,
    description: s.text,
    effect: s.words('read', 'write'),
    repeatable: s.boolean,
    paged: s.boolean.about('Its output is `{items, count, more}`, up to `limit`.'),
    input: s.jsonSchema.optional(),
    output: s.jsonSchema.optional(),
  }),
  'An action as its users see it.',
);
export type ActionView = s.Infer<typeof ActionView>;

export const ConnectorView = s.named(
  'ConnectorView',
  s.object({
    name: s.text,
    title: s.text,
    description: s.text,
    category: s.words(...CATEGORIES),
    docs: s.text,
    auth: s.object({
      required: s.boolean,
      oauth: s
        .object({
          provider: s.text,
          scopes: s.array(s.text),
        })
        .nullable(),
      fields: s.array(CredentialField),
    }),
    actions: s.array(ActionView),
    custom: s.boolean.about('Imported by the tenant.'),
    revision: s.number.nullable().about('Of an imported one: rises by one at each import.'),
  }),
  'A connector as its users see it.',
);
export type ConnectorView = s.Infer<typeof ConnectorView>;

export const ImportView = s.named(
  'ImportView',
  ConnectorView.extend({
    base_url: s.text,
    left: s.array(s.text).about('Operations that could not be taken over, and why.'),
  }),
  'The result of an import.',
);
export type ImportView = s.Infer<typeof ImportView>;

const name = { type: 'string', min: 1, max: 100 } as const;

const importParams = typed<{
  name: string;
  url?: string;
  document?: string | JsonObject;
  base_url?: string;
  title?: string;
}>()({
  name: {
    type: 'string',
    pattern: /^(?!custom-)[a-z][a-z0-9-]{0,49}$/,
    messages: {
      stringPattern:
        "The 'name' must be lower-case letters, digits and hyphens, begin with a letter, and not with custom-, which is put before it.",
    },
  },
  url: { type: 'string', min: 1, max: 8_192, optional: true },
  document: [
    { type: 'string', min: 1, optional: true },
    { type: 'object', optional: true },
  ],
  base_url: { type: 'string', min: 1, max: 2_000, optional: true },
  title: { type: 'string', trim: true, min: 1, max: 200, optional: true },
});

export const connectorsContract = contract('connectors', {
  list: {
    rest: 'GET /api/v1/connectors',
    access: 'viewer',
    paged: 'catalogue',
    repeatable: true,
    integrators: true,
    summary: 'Connectors with their actions and what they need of an account; `include=schemas`: in full',
    description: 'Built-in connectors and those of the tenant; with schemas on request.',
    params: { include: { type: 'enum', values: ['schemas'], optional: true }, ...pageParams },
    result: s.listed(ConnectorView),
  },
  get: {
    rest: 'GET /api/v1/connectors/:name',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A connector, with the schemas of its actions',
    params: { name },
    result: ConnectorView,
    errors: ['not_found'],
  },
  import: {
    rest: 'POST /api/v1/connectors/import',
    status: 201,
    access: 'admin',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates a connector from an OpenAPI document, or replaces the one of that name',
    description: 'Creates a connector from an OpenAPI document, or replaces the one of that name.',
    params: importParams,
    result: ImportView,
    errors: ['conflict', 'payload_too_large', 'provider_failed'],
  },
  preview_import: {
    rest: 'POST /api/v1/connectors/import/preview',
    access: 'admin',
    repeatable: true,
    integrators: true,
    summary: 'The connector that an import of an OpenAPI document would create; nothing is stored',
    description: 'Takes what `import` takes. `revision`: the one that the import would have.',
    params: importParams,
    result: ImportView,
    errors: ['payload_too_large', 'provider_failed'],
  },
  remove: {
    rest: 'DELETE /api/v1/connectors/:name',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Removes an imported connector',
    params: { name },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  /** All that the tenant has imported. */
  imported_all: {
    access: 'internal',
    repeatable: true,
    summary: 'Imported connectors',
    params: {},
    result: s.typed<{ data: ImportedConnector[] }>(),
  },
  /** An imported connector and its revision, but not again where that one is known. */
  imported: {
    access: 'internal',
    repeatable: true,
    summary: 'An imported connector, unless its revision is known',
    params: { name, known: { type: 'number', integer: true, optional: true } },
    result: s.typed<{
      revision: number;
      connector: ImportedConnector | null;
    } | null>(),
  },
  /** What a step type such as `custom-shop.list_orders` stands for. */
  imported_action: {
    access: 'internal',
    repeatable: true,
    summary: 'What the step type of an imported connector stands for',
    params: { type: { type: 'string', min: 1, max: 200 } },
    result: s.typed<{ head: ImportedHead; action: ImportedAction } | null>(),
  },
});
