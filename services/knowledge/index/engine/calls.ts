import type { IndexHit } from '../contract';
import type { Tombstone } from '../segment/documents';

/** What a segment holds of its rows: their words, or vectors of so many floats. */
export type RowsKind = { readonly kind: 'lexical' } | { readonly kind: 'vectors'; readonly dimension: number };

/** The bytes of a segment: its documents, and its rows. */
export interface SegmentBytes {
  readonly table: Uint8Array<ArrayBuffer>;
  readonly data: Uint8Array<ArrayBuffer>;
}

/** A segment that was made, and what a manifest says of it. */
export interface BuiltSegment extends SegmentBytes {
  readonly documents: number;
  readonly rows: number;
}

/** A document's words or vectors as they are put. */
export type NewRows =
  | { readonly kind: 'lexical'; readonly documents: readonly NewLexicalDocument[] }
  | { readonly kind: 'vectors'; readonly dimension: number; readonly documents: readonly NewVectorDocument[] };

export interface NewLexicalDocument {
  readonly id: string;
  readonly revision: number;
  readonly chunks: readonly { readonly n: number; readonly text: string }[];
}

export interface NewVectorDocument {
  readonly id: string;
  readonly revision: number;
  readonly ns: readonly number[];
  readonly vectors: Float32Array;
}

/** Loaded segments of a space as a manifest names them. `stamp`: of the manifest, so that what follows from it is found once. */
export interface View {
  readonly stamp: string;
  readonly tombstones: readonly Tombstone[];
  readonly segments: readonly { readonly id: string; readonly seq: number }[];
}

/** Living rows, the terms in them, and how many of the rows have each of the terms that were asked for. */
export interface Tally {
  readonly rows: number;
  readonly length: number;
  readonly frequencies: readonly number[];
}

interface Search {
  readonly view: View;
  readonly limit: number;
  readonly documents: ReadonlySet<string> | null;
}

/** What the engine can be asked for. All segments that a view names must be loaded. */
export interface EngineCalls {
  load(segment: SegmentBytes & { readonly id: string; readonly rows: RowsKind }): void;
  drop(segment: { readonly id: string }): void;
  tally(asked: { readonly view: View; readonly terms: readonly string[] }): Tally;
  rank(asked: Search & { readonly terms: readonly string[]; readonly tally: Tally }): IndexHit[];
  nearest(asked: Search & { readonly vector: Float32Array }): IndexHit[];
  build(rows: NewRows): BuiltSegment;
  /** Null when nothing in them is alive. */
  merge(asked: { readonly view: View; readonly rows: RowsKind }): BuiltSegment | null;
}

export type CallName = keyof EngineCalls;
export type Asked<K extends CallName> = Parameters<EngineCalls[K]>[0];
export type Answered<K extends CallName> = ReturnType<EngineCalls[K]>;

/** Computes with segments; holds those that it was given. */
export interface IndexEngine {
  /** @throws EngineLost when the thread died of it or of something else; the reason of `signal` when it aborts */
  ask<K extends CallName>(call: K, asked: Asked<K>, signal?: AbortSignal): Promise<Answered<K>>;
  close(): Promise<void>;
}

/** The thread is no more, and with it what was loaded. Another one takes its place. */
export class EngineLost extends Error {
  override readonly name = 'EngineLost';
}
