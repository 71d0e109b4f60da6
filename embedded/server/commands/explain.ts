import { performance } from 'node:perf_hooks';
import { ServerError } from '../../bson/error';
import { type Doc, isDoc, type Value } from '../../bson/value';
import { encode } from '../../bson/encode';
import type { Collection } from '../../store/collection';
import type { IndexPlan, Plan } from '../../store/planner';
import { prepareSelection, scanOf, type Selection } from '../../store/query';
import type { Task } from '../../store/task';
import { Command } from '../command';
import type { CommandTable, Context } from '../context';
import { members, ok, type Reply } from '../reply';
import { hintOf, selectionOf } from '../statements';
import { VERSION } from './handshake';

/** The plan of a selection in the format of MongoDB's queryPlanner. */
export function explainSelection(
  { db, command }: Context,
  collection: Collection | undefined,
  selection: Selection,
): Doc {
  const target = collection === undefined ? command.value(command.name) : `${db}.${collection.name}`;
  const winningPlan = collection === undefined ? members({ stage: 'EOF' }) : stagesOf(collection, selection);
  return members({
    namespace: typeof target === 'string' ? target : db,
    parsedQuery: selection.filter,
    winningPlan,
    rejectedPlans: [],
  });
}

function stagesOf(collection: Collection, selection: Selection): Doc {
  const { plan } = prepareSelection(collection, selection);
  const source = sourceStage(plan, selection.filter);
  if (selection.sort === undefined || selection.sort.size === 0 || plan.sorted) return source;
  return members({ stage: 'SORT', sortPattern: selection.sort, memLimit: 104857600, inputStage: source });
}

function sourceStage(plan: Plan, filter: Doc): Doc {
  if (plan.kind === 'collection')
    return members({
      stage: 'COLLSCAN',
      filter: filter.size === 0 ? undefined : filter,
      direction: plan.reverse ? 'backward' : 'forward',
    });
  const inputStage =
    plan.kind === 'union' ? members({ stage: 'OR', inputStages: plan.plans.map(indexStage) }) : indexStage(plan);
  return members({ stage: 'FETCH', filter: plan.exact ? undefined : filter, inputStage });
}

const indexStage = ({ index, intervals, reverse }: IndexPlan): Doc =>
  members({
    stage: 'IXSCAN',
    keyPattern: index.spec.get('key'),
    indexName: index.name,
    isMultiKey: index.multikey.includes(true),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partial !== undefined,
    indexVersion: 2,
    direction: reverse ? 'backward' : 'forward',
    intervals: intervals.length,
  });

/** The selection of the explained command. */
function explained(command: Command): Selection {
  switch (command.name) {
    case 'find':
      return { ...common(command), filter: command.doc('filter') ?? new Map(), sort: command.doc('sort') };
    case 'count':
    case 'distinct':
      return { ...common(command), filter: command.doc('query') ?? new Map() };
    case 'findAndModify':
      return { ...common(command), filter: command.doc('query') ?? new Map(), sort: command.doc('sort') };
    case 'update':
    case 'delete': {
      const [first] = command.docs(`${command.name}s`) ?? [];
      if (first !== undefined) return selectionOf(first, 'q');
      break;
    }
    case 'aggregate': {
      const [first] = command.array('pipeline') ?? [];
      const match = isDoc(first) ? first.get('$match') : undefined;
      return { ...common(command), filter: isDoc(match) ? match : new Map() };
    }
  }
  throw new ServerError('CommandNotFound', `Explain failed due to unknown command: ${command.name}`);
}

const common = (command: Command): { hint?: Value } => ({
  hint: hintOf(command.value('hint')),
});

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/** @throws ServerError 2 for an unknown value, 14 for one that is not a string */
function verbosityOf(command: Command): string {
  if (command.value('verbosity') === null) return 'allPlansExecution';
  const verbosity = command.optionalString('verbosity') ?? 'allPlansExecution';
  if (!VERBOSITIES.includes(verbosity))
    throw new ServerError(
      'BadValue',
      `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`,
    );
  return verbosity;
}

function* explain(context: Context): Task<Reply> {
  const { command, store, db, reader } = context;
  const given = command.doc('explain');
  if (given === undefined) throw new ServerError('FailedToParse', 'explain needs a command');
  const inner = new Command({ body: encode(given), sequences: new Map() });
  const name = inner.value(inner.name);
  const collection = typeof name === 'string' ? store.catalog.find(db, name) : undefined;
  const selection = explained(inner);
  const queryPlanner = explainSelection({ ...context, command: inner }, collection, selection);
  const verbosity = verbosityOf(command);
  const serverInfo = members({ host: 'embedded', port: 0, version: VERSION });
  if (verbosity === 'queryPlanner' || collection === undefined)
    return ok({ explainVersion: '1', queryPlanner, command: given, serverInfo });
  const startedAt = performance.now();
  const prepared = prepareSelection(collection, selection);
  const scan = scanOf(store, collection, prepared);
  // Like the command itself: a plan in the requested order stops early.
  const limit = (inner.name === 'find' && prepared.plan.sorted && inner.count('limit')) || Number.POSITIVE_INFINITY;
  let nReturned = 0;
  yield* scan.run(reader, () => ++nReturned < limit);
  const executionStats = members({
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(performance.now() - startedAt),
    totalKeysExamined: scan.examined.keys,
    totalDocsExamined: scan.examined.documents,
    executionStages: queryPlanner.get('winningPlan'),
  });
  return ok({ explainVersion: '1', queryPlanner, executionStats, command: given, serverInfo });
}

export const EXPLAIN: CommandTable = {
  explain: { kind: 'read', run: explain },
};
