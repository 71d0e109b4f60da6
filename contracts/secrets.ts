import { contract } from './contract';
import { forceParam } from './rules';
import { pageParams } from '../lib/page';
import * as s from '../lib/schema';
import { UsedBy } from './used-by';

const MasterKeyView = s.named(
  'MasterKeyView',
  s.object({ key_id: s.text, since: s.text }),
  'A master key by its id, which says nothing about the key.',
);
export type MasterKeyView = s.Infer<typeof MasterKeyView>;

const SealedCollectionView = s.named(
  'SealedCollectionView',
  s.object({
    name: s.text,
    state: s.words('done', 'rotating', 'waiting'),
    left: s.number.about('Values under other keys.'),
    resealed: s.number,
    unreadable: s.number.about('Of those left: values whose key is not known, or that are damaged.'),
    updated_at: s.text,
  }),
  'How far the values of a collection are under the master key in use, when last looked at.',
);
export type SealedCollectionView = s.Infer<typeof SealedCollectionView>;

const KeysView = s.named(
  'KeysView',
  s.object({
    master: MasterKeyView.extend({
      previous: s
        .array(MasterKeyView.extend({ known: s.boolean.about('The process that answers can still open with it.') }))
        .about('Keys that were in use before, newest first.'),
      done: s.boolean.about('Nothing needs a previous key any more.'),
      collections: s.array(SealedCollectionView),
    }),
    token: s
      .object({ algorithm: s.words('EdDSA', 'HS256'), previous: s.number })
      .about('`previous`: former keys that are still accepted.'),
    principal: s.object({ previous: s.number }),
  }),
  'The keys of the installation: facts about all of it, and none about a tenant.',
);
export type KeysView = s.Infer<typeof KeysView>;

export const SecretView = s.named(
  'SecretView',
  s.object({
    name: s.text,
    created_at: s.text,
    updated_at: s.text,
  }),
  'What a listing tells of a secret; never its value.',
);
export type SecretView = s.Infer<typeof SecretView>;

const KeysState = s.named(
  'KeysState',
  s.object({
    master: s
      .object({
        done: s.boolean,
      })
      .about('`done`: all that is sealed is sealed with the newest key.'),
  }),
  'What a tenant may know of the keys of the installation.',
);

const NAME = /^[A-Za-z_]\w{0,127}$/;

const name = {
  type: 'string',
  pattern: NAME,
  messages: {
    stringPattern: "The 'name' must be 1 to 128 letters, digits and underscores, and not begin with a digit.",
  },
} as const;

/** In UTF-16 units. Shorter values are not masked: they occur everywhere by chance, and are easily guessed. */
const MIN_MASKED_LENGTH = 4;

const value = {
  type: 'string',
  min: MIN_MASKED_LENGTH,
  messages: {
    stringMin: `The 'value' must have at least ${MIN_MASKED_LENGTH} characters: shorter values occur in other data by chance, so they cannot be masked.`,
  },
} as const;

const names = { type: 'array', items: 'string', max: 10_000 } as const;

export const secretsContract = contract('secrets', {
  keys: {
    rest: 'GET /api/v1/system/keys',
    access: 'admin',
    repeatable: true,
    integrators: true,
    summary: 'Whether everything is sealed with the newest key',
    params: {},
    result: KeysState,
  },
  operator_keys: {
    rest: 'GET /api/v1/operator/keys',
    access: 'operator',
    repeatable: true,
    summary: 'Which keys are in use, and how far a rotation of the master key is',
    params: {},
    result: KeysView,
  },
  /** The same, for the port of the metrics. */
  key_details: {
    access: 'internal',
    repeatable: true,
    summary: 'Which keys are in use, and how far a rotation is',
    params: {},
    result: s.typed<KeysView>(),
  },
  list: {
    rest: 'GET /api/v1/secrets',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Names of the secrets',
    params: pageParams,
    result: s.listed(SecretView),
  },
  put: {
    rest: 'POST /api/v1/secrets',
    access: 'admin',
    idempotency: 'replay',
    integrators: true,
    summary: 'Creates (201) or replaces (200) a secret',
    description: 'Creates or replaces; `created` tells which.',
    params: { name, value },
    result: SecretView.extend({
      created: s.boolean,
    }),
    errors: ['conflict'],
  },
  remove: {
    rest: 'DELETE /api/v1/secrets/:name',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Removes a secret',
    params: { name, force: forceParam },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  used_by: {
    rest: 'GET /api/v1/secrets/:name/used-by',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Workflows that use a secret, and where',
    params: { name },
    result: UsedBy,
    errors: ['not_found'],
  },
  /** The plain values of those names that exist. */
  reveal: {
    access: 'internal',
    repeatable: true,
    summary: 'Plain values of those names that exist',
    params: { names },
    result: s.typed<{ values: Record<string, string> }>(),
  },
  /** Those of the names that do not exist. */
  missing: {
    access: 'internal',
    repeatable: true,
    summary: 'Those of the names that do not exist',
    params: { names },
    result: s.typed<{ names: string[] }>(),
  },
});
