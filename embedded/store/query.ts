import { type Doc, isDoc, ObjectId, type Value } from '../bson/value';
import { compileRawFilter } from '../query/matcher';
import { compileSorter } from '../query/sort';
import type { Collection } from './collection';
import { KeyWriter } from './key-encoding';
import { choosePlan, type IndexPlan, type Plan } from './planner';
import { type ResultStream, ScanStream, SortedStream } from './result-stream';
import { openScan, type Scan } from './scan';
import type { Store } from './store';

/** A query against one collection, as find, update, delete, count and distinct share it. */
export interface Selection {
  readonly filter: Doc;
  readonly sort?: Doc;
  readonly hint?: Value;
  readonly variables?: ReadonlyMap<string, Value>;
}

/** How a selection is answered. */
export interface Prepared {
  readonly plan: Plan;
  /** The residual filter to check on each document. */
  readonly matches: ((bytes: Uint8Array) => boolean) | undefined;
}

/** Compiles the filter, which checks it, and chooses a plan. @throws ServerError for bad filters and hints */
export function prepareSelection(collection: Collection, selection: Selection): Prepared {
  const { filter, sort, hint } = selection;
  const direct = hint === undefined ? idLookup(collection, filter) : undefined;
  const { variables } = selection;
  if (direct !== undefined) {
    const rest = new Map([...filter].filter(([name]) => name !== '_id'));
    return { plan: direct, matches: rest.size === 0 ? undefined : compileRawFilter(rest, { let: variables }) };
  }
  const matches = filter.size === 0 ? undefined : compileRawFilter(filter, { let: variables });
  const plan = choosePlan(collection, { filter, sort: sort?.size === 0 ? undefined : sort, hint });
  return { plan, matches: plan.exact ? undefined : matches };
}

const writer = new KeyWriter();

/** The commonest query has {_id: <scalar>}, which needs no analysis: one key of the _id index finds the only candidate. */
function idLookup(collection: Collection, filter: Doc): IndexPlan | undefined {
  const id = filter.get('_id');
  if (!(id instanceof ObjectId) && typeof id !== 'string' && typeof id !== 'number') return undefined;
  const index = collection.indexes[0];
  if (index === undefined) return undefined;
  writer.reset().uint32(index.id);
  writer.value(id);
  writer.endField(4, index.fieldLimit, false);
  const point = writer.take();
  return {
    kind: 'index',
    index,
    intervals: [{ start: point, end: point, point }],
    reverse: false,
    sorted: true,
    exact: filter.size === 1,
  };
}

export const scanOf = (store: Store, collection: Collection, { plan, matches }: Prepared): Scan =>
  openScan(store.env, collection, plan, matches);

interface Window {
  readonly skip: number;
  readonly limit: number;
  readonly project?: (document: Doc) => Doc;
}

/** Validates a query on a missing collection. */
export function checkSelection({ filter, sort, variables }: Selection): void {
  compileRawFilter(filter, { let: variables });
  if (sort !== undefined && sort.size > 0 && !sort.has('$natural')) compileSorter(sort);
}

/** The documents of a selection in its order. */
export function selectStream(store: Store, collection: Collection, selection: Selection, window: Window): ResultStream {
  const prepared = prepareSelection(collection, selection);
  const scan = scanOf(store, collection, prepared);
  const { sort } = selection;
  if (sort === undefined || sort.size === 0 || prepared.plan.sorted) {
    if (sort !== undefined && sort.size > 0 && !sort.has('$natural')) compileSorter(sort);
    return new ScanStream(scan, window);
  }
  return new SortedStream(scan, compileSorter(sort), window);
}

/** Parses a hint: a key pattern such as `{a: 1}`, or a name. */
export const asHint = (value: Value | undefined): Value | undefined =>
  value === null || (isDoc(value) && value.size === 0) ? undefined : value;
