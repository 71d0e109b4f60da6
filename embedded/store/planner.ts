import { ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { type Doc, isDoc, type Value } from '../bson/value';
import { type Analysis, analyze, type Bound } from '../query/analyze';
import type { Collection } from './collection';
import { hintedIndex, naturalOrder } from './hint';
import { indexBounds, type Interval } from './intervals';
import type { Index } from './index-spec';
import { implies } from './partial-filter';

/** How to find the candidates of a filter. All plans return a superset; `exact` ones exactly the matches. */
export type Plan = CollectionPlan | IndexPlan | UnionPlan;

interface CollectionPlan {
  readonly kind: 'collection';
  readonly reverse: boolean;
  /** Candidates are in the requested order. */
  readonly sorted: boolean;
  readonly exact: boolean;
}

export interface IndexPlan {
  readonly kind: 'index';
  readonly index: Index;
  readonly intervals: readonly Interval[];
  readonly reverse: boolean;
  readonly sorted: boolean;
  readonly exact: boolean;
}

/** One plan per branch of an `$or`; a record may come from several. */
interface UnionPlan {
  readonly kind: 'union';
  readonly plans: readonly IndexPlan[];
  readonly sorted: false;
  readonly exact: false;
}

/** Input of the planner. */
interface Query {
  readonly filter: Doc;
  readonly sort?: Doc;
  /** An index name, a key pattern, or {$natural: 1 | -1}. */
  readonly hint?: Value;
}

/**
 * Chooses a plan by rules, without statistics: most fields fixed to single values, then an index in the requested
 * order, then a range.
 * @throws ServerError 2 when the hint names no index
 */
export function choosePlan(collection: Collection, query: Query): Plan {
  const natural = naturalOrder(query.sort) ?? (isDoc(query.hint) ? naturalOrder(query.hint) : undefined);
  const analysis = query.filter.size === 0 ? EVERYTHING : analyze(query.filter);
  const whole: CollectionPlan = {
    kind: 'collection',
    reverse: natural === -1,
    sorted: query.sort === undefined || naturalOrder(query.sort) !== undefined,
    exact: analysis === EVERYTHING,
  };
  if (natural !== undefined) return whole;
  if (query.hint !== undefined && query.hint !== null) {
    const index = hintedIndex(collection, query.hint);
    if (index.partial !== undefined && !holdsAllMatches(index, query.filter, analysis))
      throw new ServerError(
        291,
        'error processing query: planner returned error: the hinted partial index cannot answer it',
      );
    return candidate(index, analysis, query).plan;
  }
  return bestIndex(collection, analysis, query) ?? whole;
}

function bestIndex(collection: Collection, analysis: Analysis, query: Query): Plan | undefined {
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (index.hidden || index.builtTo !== null || !holdsAllMatches(index, query.filter, analysis)) continue;
    const next = candidate(index, analysis, query);
    if (next.score > 0 && (best === undefined || next.score > best.score)) best = next;
  }
  const weak = best === undefined || (best.score <= RANGE && query.sort === undefined);
  return (weak ? union(collection, analysis, query) : undefined) ?? best?.plan;
}

const EVERYTHING: Analysis = { bounds: [], or: [], exact: true };

interface Candidate {
  readonly plan: IndexPlan;
  readonly score: number;
}

const EQUAL = 4;
/** Several values of one field: their keys are apart, so the order by later fields is lost. */
const ONE_OF = 3;
const SORTED = 3;
const RANGE = 2;

function candidate(index: Index, analysis: Analysis, query: Query): Candidate {
  const bounds = indexBounds(index, boundsByField(index, analysis.bounds));
  const order = providesOrder(index, bounds.fixed, query);
  const exact =
    analysis.exact &&
    !index.multikey.includes(true) &&
    index.partial === undefined &&
    !index.sparse &&
    analysis.bounds.every((bound) => bounds.consumed.has(bound));
  const covered = index.unique && bounds.equal === index.fields.length;
  const score =
    bounds.fixed * EQUAL +
    (bounds.equal - bounds.fixed) * ONE_OF +
    (bounds.used - bounds.equal) * RANGE +
    (query.sort !== undefined && order !== undefined ? SORTED : 0) +
    (covered ? 100 : 0) -
    index.fields.length / 100;
  const plan: IndexPlan = {
    kind: 'index',
    index,
    intervals: order === -1 ? [...bounds.intervals].reverse() : bounds.intervals,
    reverse: order === -1,
    sorted: query.sort === undefined || order !== undefined,
    exact,
  };
  return { plan, score: bounds.used === 0 && (query.sort === undefined || order === undefined) ? 0 : score };
}

/**
 * Sparse and partial indexes may serve only filters whose every match they hold: for a sparse one that some field must
 * be present, for a partial one that the filter implies the index's own.
 */
function holdsAllMatches(index: Index, filter: Doc, analysis: Analysis): boolean {
  // A numeric part such as `a.0` may be a position or a name; index keys only know positions.
  if (index.fields.some((field) => /(?:^|\.)\d+(?:\.|$)/.test(field.path))) return false;
  if (index.sparse)
    return analysis.bounds.some(
      (bound) => index.fields.some((field) => field.path === bound.path) && impliesPresence(bound),
    );
  return index.partial === undefined || implies(filter, analysis.bounds, index.partial.filter);
}

function impliesPresence(bound: Bound): boolean {
  if (bound.kind === 'eq') return bound.value !== null;
  if (bound.kind === 'in') return !bound.values.includes(null);
  if (bound.kind === 'range') return (bound.min ?? bound.max)?.value !== null;
  return true;
}

/** Which bounds hold together in one key of this index, per field. */
function boundsByField(index: Index, bounds: readonly Bound[]): Bound[][] {
  const element = elementOfChoice(index, bounds);
  let multikeyTaken = false;
  return index.fields.map((field, i) => {
    const own = bounds.filter((bound) => bound.path === field.path && bound.kind !== 'exists');
    if (index.multikey[i] !== true) return own;
    if (element !== undefined) return own.filter((bound) => bound.element === element);
    // Several conditions on an array may be met by different elements, each with its own key: use one.
    if (multikeyTaken || own.length === 0) return [];
    multikeyTaken = true;
    return [own.find((bound) => bound.kind === 'eq') ?? own.find((bound) => bound.kind === 'in') ?? (own[0] as Bound)];
  });
}

/** An `$elemMatch` on a leading array field: its conditions apply to one element, hence one key. */
function elementOfChoice(index: Index, bounds: readonly Bound[]): number | undefined {
  const first = index.fields.find((_field, i) => index.multikey[i] === true);
  return bounds.find((bound) => bound.path === first?.path && bound.element !== undefined)?.element;
}

/** 1 or -1 when the index, read in that direction, has the requested order; undefined otherwise. */
function providesOrder(index: Index, fixed: number, query: Query): 1 | -1 | undefined {
  if (query.sort === undefined || query.sort.size === 0) return 1;
  if (index.shortened) return undefined;
  const wanted = [...query.sort];
  if (wanted.some(([, direction]) => !isNumeric(direction))) return undefined;
  let direction: 1 | -1 | undefined;
  let position = 0;
  for (const [path, value] of wanted) {
    const descending = toDouble(value as number) < 0;
    while (index.fields[position]?.path !== path && position < fixed) position++;
    const field = index.fields[position];
    if (field?.path !== path) {
      // A field fixed to one value is in any order.
      if (index.fields.slice(0, fixed).some((held, i) => held.path === path && index.multikey[i] !== true)) continue;
      return undefined;
    }
    if (index.multikey[position] === true) return undefined;
    // Several values of a field give several runs, ordered by that field only if it is requested first.
    if (position >= fixed) {
      const way = field.descending === descending ? 1 : -1;
      if (direction !== undefined && way !== direction) return undefined;
      direction = way;
    }
    position++;
  }
  return direction ?? 1;
}

function union(collection: Collection, analysis: Analysis, query: Query): UnionPlan | undefined {
  for (const branches of analysis.or) {
    const plans = branches.map((branch) => bestBranch(collection, branch, query));
    if (plans.length > 0 && plans.every((plan) => plan !== undefined))
      return { kind: 'union', plans: plans, sorted: false, exact: false };
  }
  return undefined;
}

function bestBranch(collection: Collection, branch: Analysis, query: Query): IndexPlan | undefined {
  let best: Candidate | undefined;
  for (const index of collection.indexes) {
    if (index.hidden || index.builtTo !== null || index.partial !== undefined) continue;
    if (!holdsAllMatches(index, new Map(), branch)) continue;
    const next = candidate(index, branch, { ...query, sort: undefined });
    if (next.score > (best?.score ?? 0)) best = next;
  }
  return best?.plan;
}
