import { ServerError } from '../bson/error';
import { isDoc, type Doc, type Maybe, type Value } from '../bson/value';
import type { Compiler } from './operator';

/** External input of a pipeline. */
export interface PipelineEnv {
  now: Date;
  let?: ReadonlyMap<string, Maybe>;
  /** The documents of another collection of the same database, for `$lookup`. */
  collection(name: string): Iterable<Doc>;
}

/**
 * Not a document: a source emits it to yield to other work, and every stage passes it on. The consumer of the pipeline
 * stops there and continues later.
 */
export const PAUSE: Doc = new Map();

/** A compiled stage: documents in, documents out, lazy where possible. It may run more than once. */
export type Stage = (documents: Iterable<Doc>) => Iterable<Doc>;

/** Context of compiling a stage. */
export interface StageContext {
  env: PipelineEnv;
  /** A fresh compiler of expressions with the pipeline's variables. */
  compiler(): Compiler;
  /** Compiles a pipeline of `$facet`. */
  facet(stages: readonly Value[]): Stage;
}

export type StageCompiler = (argument: Value, context: StageContext, name: string) => Stage;

/** The members of a stage's document argument. @throws ServerError FailedToParse or 40414, 40415 as the server's parser does */
export function optionsOf(
  name: string,
  argument: Value,
  required: readonly string[],
  optional: readonly string[] = [],
  codes: { notDocument?: number; unknown?: number; missing?: number } = {},
): Doc {
  if (!isDoc(argument))
    throw new ServerError(codes.notDocument ?? 'FailedToParse', `the ${name} stage specification must be an object`);
  for (const member of argument.keys()) {
    if (!required.includes(member) && !optional.includes(member)) {
      throw new ServerError(codes.unknown ?? 40415, `BSON field '${name}.${member}' is an unknown field.`);
    }
  }
  for (const member of required) {
    if (!argument.has(member))
      throw new ServerError(codes.missing ?? 40414, `BSON field '${name}.${member}' is missing but a required field`);
  }
  return argument;
}

/** A stage that turns each document into one. */
export const mapping =
  (apply: (document: Doc) => Doc): Stage =>
  (documents) => ({
    *[Symbol.iterator]() {
      for (const document of documents) yield document === PAUSE ? PAUSE : apply(document);
    },
  });

/** A stage that needs all documents before it returns the first. */
export const gathering =
  (apply: (documents: Doc[]) => Iterable<Doc>): Stage =>
  (documents) => ({
    *[Symbol.iterator]() {
      const all: Doc[] = [];
      for (const document of documents) {
        if (document === PAUSE) yield PAUSE;
        else all.push(document);
      }
      yield* apply(all);
    },
  });

/** A lazy stage by generator; each iteration restarts it. */
export const streaming =
  (generate: (documents: Iterable<Doc>) => Generator<Doc>): Stage =>
  (documents) => ({ [Symbol.iterator]: () => generate(documents) });
