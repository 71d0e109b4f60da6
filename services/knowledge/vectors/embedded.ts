import { AppError } from '../../../lib/errors';
import type { SegmentMachine } from '../index';
import { MOST_DIMENSIONS } from '../index/engine/arena';
import { type Space, spaceOf } from '../index/space/space';
import type { DocumentVectors, VectorSpace, VectorStore } from './contract';

/** Vectors in segments of the database, compared one by one: exact, and good for about a million in a process. */
export function createEmbeddedVectors(machine: SegmentMachine): VectorStore {
  const own = (space: VectorSpace): Space => {
    const { dimension } = space;
    if (!Number.isInteger(dimension) || dimension < 1 || dimension > MOST_DIMENSIONS)
      throw new AppError('invalid_request', `Vectors may have 1 to ${MOST_DIMENSIONS} dimensions, not ${dimension}`);
    return spaceOf(space, { kind: 'vectors', dimension }, space.generation);
  };
  return {
    name: 'embedded',
    async put(space, documents) {
      for (const document of documents) assertFits(document, space);
      if (documents.length > 0) await machine.change(own(space), { kind: 'put', documents });
    },
    async remove(space, ids) {
      if (ids.length > 0) await machine.change(own(space), { kind: 'remove', ids });
    },
    removeGeneration: (space) => machine.drop(space, 'vectors', space.generation),
    removeAll: (space) => machine.drop(space, 'vectors'),
    async search(space, vector, options) {
      assertFinite(vector, space);
      if (options.limit < 1) return [];
      const { limit, documents, signal } = options;
      return machine.search(
        own(space),
        options,
        async () => null,
        (engine, view) => engine.ask('nearest', { view, vector, limit, documents }, signal),
      );
    },
    documents: (space, after, limit) => machine.documents(own(space), after, limit),
    // It is where everything else is: without the database nothing works.
    ready: async () => true,
  };
}

function assertFits({ ns, vectors, id }: DocumentVectors, space: VectorSpace): void {
  if (vectors.length !== ns.length * space.dimension)
    throw new AppError('invalid_request', `The vectors of ${id} are not ${ns.length} of ${space.dimension} dimensions`);
  for (const value of vectors)
    if (!Number.isFinite(value)) throw new AppError('invalid_request', `A vector of ${id} holds what is no number`);
}

function assertFinite(vector: Float32Array, { dimension }: VectorSpace): void {
  if (vector.length !== dimension)
    throw new AppError('invalid_request', `The vector has ${vector.length} dimensions instead of ${dimension}`);
  for (const value of vector)
    if (!Number.isFinite(value)) throw new AppError('invalid_request', 'The vector holds what is no number');
}
