import type { Collation } from '../bson/collation';
import { ServerError } from '../bson/error';
import type { Doc, Value } from '../bson/value';

/** What a pipeline may reach beyond its input. */
export interface PipelineEnv {
  now: Date;
  collation?: Collation;
  let?: ReadonlyMap<string, Value>;
  /** The documents of another collection of the same database, for `$lookup`, `$unionWith` and `$graphLookup`. */
  collection(name: string): Iterable<Doc>;
  /** Uniform in [0, 1), for `$sample`, `$rand` and `$sampleRate`. */
  random?: () => number;
}

/** Where the results go, when not to the client. */
export type Terminal = { kind: 'out'; db?: string; collection: string } | { kind: 'merge'; spec: Doc };

export interface Pipeline {
  run(documents: Iterable<Doc>): Iterable<Doc>;
  terminal?: Terminal;
  /**
   * The leading `$match` (conjunction of the first stages), so that the caller can use an index.
   * It is still part of `run`; documents that it would drop may be left out of the input.
   */
  match?: Doc;
  /** The pipeline starts with `$documents` and reads no collection. */
  generates: boolean;
}

/**
 * @param stages each a document with one member
 * @throws ServerError 40324 for an unknown stage; an unsupported one is refused by name
 */
export function compilePipeline(_stages: readonly Value[], _env: PipelineEnv): Pipeline {
  throw new ServerError('NotImplemented', 'compilePipeline');
}
