import { createHash } from 'node:crypto';
import { listsTag } from '../../../lib/entity-tags';
import type { JsonObject } from '../../../lib/json';
import { invalidFilter, invalidValue, ScimError } from './errors';
import { valueOf } from './evaluate';
import { type Filter, parseFilter } from './filter';
import { type Sorting, sortingOf } from './sorting';

/** What the resources of both kinds have in common: `meta`, versions, pages and the choice of attributes. */

const LIST_URN = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
export const MAX_PAGE_RESOURCES = 200;
const DEFAULT_PAGE_RESOURCES = 100;
const MAX_ATTRIBUTES_CHARS = 2_000;

export type Query = Readonly<Record<string, string | string[]>>;

/** What a request asks of a list, or of the representation of one resource. */
export interface Asked {
  readonly filter: Filter | null;
  readonly sorting: Sorting | null;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
  readonly only: ReadonlySet<string> | null;
  readonly without: ReadonlySet<string>;
}

/** @throws ScimError invalidFilter, invalidPath, invalidValue */
export function askedOf(query: Query): Asked {
  const filter = textIn(query, 'filter');
  return {
    filter: filter === null ? null : parseFilter(filter),
    sorting: sortingOf(textIn(query, 'sortby'), textIn(query, 'sortorder')),
    startIndex: Math.max(1, numberIn(query, 'startindex', 1)),
    count: Math.min(MAX_PAGE_RESOURCES, Math.max(0, numberIn(query, 'count', DEFAULT_PAGE_RESOURCES))),
    only: namesIn(query, 'attributes'),
    without: namesIn(query, 'excludedattributes') ?? new Set(),
  };
}

function textIn(query: Query, name: string): string | null {
  const key = Object.keys(query).find((each) => each.toLowerCase() === name);
  const value = key === undefined ? undefined : query[key];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw invalidFilter(`'${name}' is given more than once`);
  return value;
}

function numberIn(query: Query, name: string, otherwise: number): number {
  const text = textIn(query, name);
  if (text === null) return otherwise;
  if (!/^-?\d{1,9}$/.test(text)) throw invalidValue(`'${name}' must be a whole number`);
  return Number(text);
}

/** Names of attributes; of a part, its attribute. */
function namesIn(query: Query, name: string): ReadonlySet<string> | null {
  const text = textIn(query, name);
  if (text === null) return null;
  if (text.length > MAX_ATTRIBUTES_CHARS)
    throw invalidValue(`'${name}' has more than ${MAX_ATTRIBUTES_CHARS} characters`);
  const names = text
    .toLowerCase()
    .split(',')
    .map(
      (each) =>
        each
          .trim()
          .replace(/^urn:.*:/, '')
          .split('.')[0] as string,
    );
  return new Set(names.filter((each) => each !== ''));
}

/** Attributes that every representation has. */
const ALWAYS = new Set(['id', 'schemas']);

/** Whether a representation has an attribute. */
export const isAsked = ({ only, without }: Pick<Asked, 'only' | 'without'>, name: string): boolean =>
  ALWAYS.has(name) || (only === null ? !without.has(name) : only.has(name));

/** The attributes that a request asks for. */
export const chosen = (resource: JsonObject, asked: Pick<Asked, 'only' | 'without'>): JsonObject =>
  asked.only === null && asked.without.size === 0
    ? resource
    : Object.fromEntries(Object.entries(resource).filter(([name]) => isAsked(asked, name.toLowerCase())));

/** A resource with its `meta`. `version`: what tells this state from others, by default the resource itself. */
export function withMeta(
  resource: JsonObject,
  {
    type,
    base,
    created,
    modified,
    state = JSON.stringify(resource),
  }: { type: 'User' | 'Group'; base: string; created: Date; modified: Date; state?: string },
): JsonObject {
  const version = createHash('sha256').update(state).digest('base64url').slice(0, 22);
  return {
    ...resource,
    meta: {
      resourceType: type,
      created: created.toISOString(),
      lastModified: modified.toISOString(),
      location: `${base}/${type}s/${resource.id as string}`,
      version: `W/"${version}"`,
    },
  };
}

/** Weak comparison takes tags without their mark (RFC 9110 section 8.8.3.2). */
const opaqueTag = (resource: JsonObject): string => versionOf(resource).slice('W/'.length);

export const versionOf = (resource: JsonObject): string => String(valueOf(resource.meta, 'version'));
export const locationOf = (resource: JsonObject): string => String(valueOf(resource.meta, 'location'));

/** @throws ScimError when the client has another state than this one */
export function assertMatches(resource: JsonObject, ifMatch: string | undefined): void {
  if (ifMatch === undefined || listsTag(ifMatch, opaqueTag(resource), 'weak')) return;
  throw new ScimError(412, null, 'The resource was changed meanwhile; read it again');
}

/** True when the client has this state already. */
export const isKnown = (resource: JsonObject, ifNoneMatch: string | undefined): boolean =>
  ifNoneMatch !== undefined && listsTag(ifNoneMatch, opaqueTag(resource), 'weak');

/** The answer to a list. */
export const listOf = (resources: readonly JsonObject[], total: number, startIndex: number): JsonObject => ({
  schemas: [LIST_URN],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: [...resources],
});
