import type { App } from '../../app';
import type { VectorStore } from './contract';
import { createQdrantVectors } from './qdrant';

/** Where vectors are kept: in the Qdrant that the operator names, else where `embedded` says. */
export function openVectorStore(
  { config, clock }: Pick<App, 'config' | 'clock'>,
  embedded: () => VectorStore,
): VectorStore {
  const { qdrant, namespace } = config;
  return qdrant === null ? embedded() : createQdrantVectors({ config: qdrant, namespace, clock });
}
