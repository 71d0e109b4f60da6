import { createHash } from 'node:crypto';
import { AppError } from '../../../../lib/errors';
import type { IndexHit, Namespace } from '../../../../lib/search/contract';
import type { DocumentVectors, VectorNamespace } from '../contract';

/** What a point says beside its vector. Nothing of a chunk's text: that stays in the database. */
interface Payload {
  readonly tenant_id: string;
  readonly base_id: string;
  readonly generation: number;
  readonly document_id: string;
  readonly revision: number;
  readonly n: number;
  /** There on one point of each revision, so that documents can be listed without reading every chunk. */
  readonly first?: true;
}

interface Point {
  readonly id: string;
  readonly vector: number[];
  readonly payload: Payload & Record<string, unknown>;
}

/** How payloads are indexed: points of one tenant lie together. */
export const PAYLOAD_INDEXES = {
  tenant_id: { type: 'keyword', is_tenant: true },
  base_id: 'keyword',
  generation: 'integer',
  document_id: 'keyword',
  revision: 'integer',
  first: 'bool',
} as const;

type Condition = Readonly<Record<string, unknown>>;

/** Conditions as Qdrant takes them. */
export interface Filter {
  must: Condition[];
  should?: Condition[];
}

const equal = (key: keyof Payload, value: string | number | boolean): Condition => ({ key, match: { value } });
const above = (key: keyof Payload, value: number): Condition => ({ key, range: { gt: value } });
const below = (key: keyof Payload, value: number): Condition => ({ key, range: { lt: value } });

/** Points of a base. Every request has these conditions, or more. */
export const ofBase = ({ tenantId, baseId }: Namespace): Filter => ({
  must: [equal('tenant_id', tenantId), equal('base_id', baseId)],
});

/** Points of one generation of a base. */
export const ofSpace = (space: Omit<VectorNamespace, 'dimension'>): Filter => ({
  must: [...ofBase(space).must, equal('generation', space.generation)],
});

/** Those of some documents. */
export const ofDocuments = (filter: Filter, ids: Iterable<string>): Filter => ({
  must: [...filter.must, { key: 'document_id', match: { any: [...new Set(ids)] } }],
});

/** One point of each revision of each document. */
export const onlyFirst = (filter: Filter): Filter => ({ ...filter, must: [...filter.must, equal('first', true)] });

/** What of the documents is older, or newer, than they are now. */
export const besideThem = (
  filter: Filter,
  documents: readonly DocumentVectors[],
  which: 'older' | 'newer',
): Filter => ({
  must: filter.must,
  should: documents.map(({ id, revision }) => ({
    must: [equal('document_id', id), which === 'older' ? below('revision', revision) : above('revision', revision)],
  })),
});

/** The points of a document. @throws RangeError when the vectors are not as long as the space's */
export function pointsOf(space: VectorNamespace, { id, revision, ns, vectors }: DocumentVectors): Point[] {
  const { dimension, tenantId, baseId, generation } = space;
  if (vectors.length !== ns.length * dimension)
    throw new RangeError(`A space of ${dimension} dimensions takes no vectors of ${vectors.length / ns.length}`);
  return ns.map((n, at) => ({
    id: pointId(space, id, revision, n),
    vector: Array.from(vectors.subarray(at * dimension, (at + 1) * dimension)),
    payload: {
      tenant_id: tenantId,
      base_id: baseId,
      generation,
      document_id: id,
      revision,
      n,
      ...(at === 0 ? { first: true } : {}),
    },
  }));
}

const MAX_UINT24 = 2 ** 24 - 1;

/**
 * The id of a point, a UUID (RFC 9562, version 8) that follows from what it is of, so that a repeated put writes over itself:
 * 74 bits of a hash of space and document, then 24 bits of the revision and 24 of the chunk. Points of a document thus lie
 * together in the order of ids, in which Qdrant pages.
 */
function pointId(space: Omit<VectorNamespace, 'dimension'>, documentId: string, revision: number, n: number): string {
  if (revision > MAX_UINT24 || n > MAX_UINT24) throw new RangeError('A revision, or a chunk, has too high a number');
  const { tenantId, baseId, generation } = space;
  const digest = createHash('sha256')
    .update(JSON.stringify([tenantId, baseId, generation, documentId]))
    .digest();
  const bits = (digest.readBigUInt64BE(0) << 10n) | BigInt(digest.readUInt16BE(8) >> 6);
  const low = (BigInt(revision) << 24n) | BigInt(n);
  const head = (bits >> 14n) & ((1n << 60n) - 1n);
  const value =
    ((head >> 12n) << 80n) | (8n << 76n) | ((head & 0xfffn) << 64n) | (2n << 62n) | ((bits & 0x3fffn) << 48n) | low;
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** An id after all those of a document, and before those of the next. */
export const afterDocument = (space: Omit<VectorNamespace, 'dimension'>, documentId: string): string =>
  pointId(space, documentId, MAX_UINT24, MAX_UINT24);

/** A point's place, from a payload that is not known to be ours. @throws AppError unavailable */
export function placeOf(payload: unknown): Omit<IndexHit, 'score'> {
  const { document_id: documentId, revision, n } = (payload ?? {}) as Partial<Payload>;
  if (typeof documentId !== 'string' || typeof revision !== 'number' || typeof n !== 'number')
    throw new AppError('unavailable', 'Qdrant has a point that was not written by this service');
  return { documentId, revision, n };
}
