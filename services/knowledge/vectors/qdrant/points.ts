import { createHash } from 'node:crypto';
import { AppError } from '../../../../lib/errors';
import type { IndexHit, Namespace } from '../../../../lib/search/contract';
import type { DocumentVectors, VectorNamespace } from '../contract';

/** Payload of a point. Chunk texts stay in the database. */
interface Payload {
  readonly tenant_id: string;
  readonly base_id: string;
  readonly generation: number;
  readonly document_id: string;
  readonly revision: number;
  readonly n: number;
  /** Set on one point per revision, so that documents can be listed without reading every chunk. */
  readonly first?: true;
}

interface Point {
  readonly id: string;
  readonly vector: number[];
  readonly payload: Payload & Record<string, unknown>;
}

/** Payload indexes. `is_tenant` stores the points of one tenant together. */
export const PAYLOAD_INDEXES = {
  tenant_id: { type: 'keyword', is_tenant: true },
  base_id: 'keyword',
  generation: 'integer',
  document_id: 'keyword',
  revision: 'integer',
  first: 'bool',
} as const;

type Condition = Readonly<Record<string, unknown>>;

/** A Qdrant filter. */
export interface Filter {
  must: Condition[];
  should?: Condition[];
}

const equal = (key: keyof Payload, value: string | number | boolean): Condition => ({ key, match: { value } });
const greaterThan = (key: keyof Payload, value: number): Condition => ({ key, range: { gt: value } });
const lessThan = (key: keyof Payload, value: number): Condition => ({ key, range: { lt: value } });

/** Points of a base. Every request includes these conditions. */
export const ofBase = ({ tenantId, baseId }: Namespace): Filter => ({
  must: [equal('tenant_id', tenantId), equal('base_id', baseId)],
});

/** Points of one generation of a base. */
export const ofGeneration = (namespace: Omit<VectorNamespace, 'dimension'>): Filter => ({
  must: [...ofBase(namespace).must, equal('generation', namespace.generation)],
});

/** Points of the given documents. */
export const ofDocuments = (filter: Filter, ids: Iterable<string>): Filter => ({
  must: [...filter.must, { key: 'document_id', match: { any: [...new Set(ids)] } }],
});

/** One point of each revision of each document. */
export const onlyFirst = (filter: Filter): Filter => ({ ...filter, must: [...filter.must, equal('first', true)] });

/** Points of the documents with an older, or a newer, revision than the given one. */
export const otherRevisions = (
  filter: Filter,
  documents: readonly DocumentVectors[],
  which: 'older' | 'newer',
): Filter => ({
  must: filter.must,
  should: documents.map(({ id, revision }) => ({
    must: [
      equal('document_id', id),
      which === 'older' ? lessThan('revision', revision) : greaterThan('revision', revision),
    ],
  })),
});

/** @throws RangeError if the vectors do not have the namespace's dimension */
export function pointsOf(
  namespace: VectorNamespace,
  { id, revision, chunkNumbers, vectors }: DocumentVectors,
): Point[] {
  const { dimension, tenantId, baseId, generation } = namespace;
  if (vectors.length !== chunkNumbers.length * dimension)
    throw new RangeError(`The vectors have ${vectors.length / chunkNumbers.length} dimensions instead of ${dimension}`);
  return chunkNumbers.map((n, at) => ({
    id: pointId(namespace, id, revision, n),
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
 * Deterministic id of a point, so that a repeated put overwrites it. A UUID (RFC 9562, version 8): 74 bits of a hash of
 * namespace and document, 24 bits revision, 24 bits chunk number. Qdrant pages by id, so the points of a document are
 * adjacent.
 */
function pointId(
  namespace: Omit<VectorNamespace, 'dimension'>,
  documentId: string,
  revision: number,
  n: number,
): string {
  if (revision > MAX_UINT24 || n > MAX_UINT24)
    throw new RangeError(`The revision or the chunk number exceeds ${MAX_UINT24}`);
  const { tenantId, baseId, generation } = namespace;
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

/** The highest possible point id of a document. */
export const afterDocument = (namespace: Omit<VectorNamespace, 'dimension'>, documentId: string): string =>
  pointId(namespace, documentId, MAX_UINT24, MAX_UINT24);

/** Parses the payload of a point. @throws AppError unavailable if another program wrote it */
export function chunkOf(payload: unknown): Omit<IndexHit, 'score'> {
  const { document_id: documentId, revision, n } = (payload ?? {}) as Partial<Payload>;
  if (typeof documentId !== 'string' || typeof revision !== 'number' || typeof n !== 'number')
    throw new AppError('unavailable', 'Qdrant returned a point that was not written by this service');
  return { documentId, revision, n };
}
