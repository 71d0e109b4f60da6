import { type Document, EJSON } from 'bson';
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../../lib/json';
import type { Scenario } from './commands';

/** One command and both answers. */
export interface Difference {
  scenario: Scenario;
  /** The command, an index, or the name of a step of the test itself. */
  asked: Document | string;
  ours: unknown;
  real: unknown;
}

/** A difference that is known, harmless and accepted, with the reason. */
interface Tolerance {
  reason: string;
  applies(difference: Difference): boolean;
}

const code = (answer: unknown): number | undefined => {
  if (isObject(answer)) return Number(answer.code);
  const inReply = /"errors":\[\{"\$numberInt":"(\d+)"\}\]/.exec(String(answer))?.[1];
  return inReply === undefined ? undefined : Number(inReply);
};

const isCommand = (asked: Document | string, name: string): asked is Document =>
  typeof asked !== 'string' && Object.keys(asked)[0] === name;

/** The fields that an update's operators name. */
const updatedFields = (asked: Document): number => {
  const update: Document = Array.isArray(asked.updates) ? asked.updates[0].u : asked.update;
  return Array.isArray(update)
    ? 0
    : Object.values(update).reduce(
        (sum: number, fields) => sum + (isObject(fields) ? Object.keys(fields).length : 0),
        0,
      );
};

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, withSortedKeys(inner)]),
  );
}

const ignoringKeyOrder = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer.map((line) => withSortedKeys(JSON.parse(line))) : answer;

/** A pipeline of several stages, to read with or to update by. */
const hasStages = (command: Document): boolean => {
  const pipeline = command.pipeline ?? (Array.isArray(command.updates) ? command.updates[0].u : command.update);
  return Array.isArray(pipeline) && pipeline.length > 1;
};

const withoutModified = (answer: unknown): string => String(answer).replace(/"nModified":\{"\$numberInt":"\d+"\}/, '');

const TOLERATED: Tolerance[] = [
  {
    reason: 'ours keeps and compares Decimal128 values, but refuses to calculate with them',
    applies: ({ ours }) => code(ours) === 238,
  },
  {
    reason:
      'the real distinct over an index tells of its keys: null for absent fields, inner arrays taken apart; ours is the same with an index as without',
    applies: ({ scenario, asked, ours, real }) =>
      scenario.indexes.length > 0 && isCommand(asked, 'distinct') && Array.isArray(ours) && Array.isArray(real),
  },
  {
    reason:
      'the real engine moves $match forward, so a document that it drops cannot fail in an earlier stage (and another fault may come first); ours keeps the order',
    applies: ({ asked, ours }) =>
      isCommand(asked, 'aggregate') &&
      code(ours) !== undefined &&
      asked.pipeline.slice(1).some((stage: Document) => '$match' in stage),
  },
  {
    reason:
      'the real $sort stage does not see array positions such as a.0 as the sort of find does; ours uses one order for both',
    applies: ({ asked, ours, real }) =>
      isCommand(asked, 'aggregate') &&
      Object.keys(asked.pipeline[0].$sort).some((path) => /\.\d/.test(path)) &&
      (code(ours) === undefined || code(real) === undefined),
  },
  {
    reason: 'a projection with $slice and a second entry on the same path is refused by both, with different codes',
    applies: ({ asked, ours, real }) =>
      JSON.stringify(asked).includes('$slice') && code(real) === 28667 && [31249, 31250].includes(code(ours) ?? 0),
  },
  {
    reason: '$toString of arrays and documents is new in version 9; ours refuses it as version 8 does',
    applies: ({ asked, ours }) => JSON.stringify(asked).includes('$toString') && code(ours) === 241,
  },
  {
    reason:
      'an index over documents that collide and cannot be indexed as well (parallel arrays, ambiguous positions) is refused by both, for the fault met first',
    applies: ({ asked, ours, real }) =>
      isCommand(asked, 'key') && code(ours) === 11000 && [171, 16746].includes(code(real) ?? 0),
  },
  {
    reason: 'an update with two faults is refused by both, for one fault or the other',
    applies: ({ asked, ours, real }) =>
      (isCommand(asked, 'update') || isCommand(asked, 'findAndModify')) &&
      updatedFields(asked) > 1 &&
      code(ours) !== undefined &&
      code(real) !== undefined,
  },
  {
    reason: 'an upsert whose filter can never match loses the _id of the filter in the real engine',
    applies: ({ asked, ours, real }) =>
      isCommand(asked, 'update') && String(real).includes('made up') && !String(ours).includes('made up'),
  },
  {
    reason:
      'an upsert whose filter holds one field to two values is always refused by ours; by the real engine unless it simplified the filter',
    applies: ({ asked, ours, real }) =>
      isCommand(asked, 'update') && asked.updates[0].upsert === true && code(ours) === 54 && code(real) === undefined,
  },
  {
    reason:
      'fields that an upsert takes from its filter come in the order of the filter; in the real engine in that of its simplified filter',
    applies: ({ scenario, asked, ours, real }) =>
      asked === 'contents' &&
      scenario.commands.some((command) => isCommand(command, 'update') && command.updates[0].upsert === true) &&
      isDeepStrictEqual(ignoringKeyOrder(ours), ignoringKeyOrder(real)),
  },
  {
    reason:
      'the real engine answers a comparison with MinKey or MaxKey from a sparse index, which lacks documents that match',
    applies: ({ scenario, asked, ours, real }) =>
      scenario.indexes.some((index) => index.sparse === true) &&
      /minKey|maxKey/.test(EJSON.stringify(asked)) &&
      code(ours) === undefined &&
      code(real) === undefined,
  },
  {
    reason:
      'the real $group computes the operand of $first for the first document of a group alone; ours for each, so it may fail',
    applies: ({ asked, ours, real }) =>
      isCommand(asked, 'aggregate') &&
      JSON.stringify(asked).includes('"$first"') &&
      code(ours) !== undefined &&
      code(real) === undefined,
  },
  {
    reason:
      'which branch of an $or gives the positional $ its place is the order of the simplified filter in the real engine',
    applies: ({ asked, ours, real }) =>
      /\.\$"/.test(JSON.stringify(asked)) &&
      JSON.stringify(asked).includes('"$or"') &&
      (code(real) === 2 || code(ours) === 2),
  },
  {
    reason:
      'an update by $ and by a position that turn out to be the same element is refused by the real engine (40); ours does both',
    applies: ({ asked, ours, real }) =>
      /\.\$"/.test(JSON.stringify(asked)) && code(ours) === undefined && code(real) === 40,
  },
  {
    reason:
      'the real engine counts a $push or an $unset of an element that leaves the array as it was as a modification',
    applies: ({ asked, ours, real }) =>
      /\$push|\$unset/.test(JSON.stringify(asked)) && withoutModified(ours) === withoutModified(real),
  },
  {
    reason:
      'a field that one stage removes and a later one sets keeps its old place in the real engine; in ours it comes last',
    applies: ({ scenario, ours, real }) =>
      scenario.commands.some(hasStages) && isDeepStrictEqual(ignoringKeyOrder(ours), ignoringKeyOrder(real)),
  },
];

/** True when the first difference of a scenario is one of the accepted ones. */
export const isTolerated = (difference: Difference): boolean =>
  TOLERATED.some((tolerance) => tolerance.applies(difference));

/** A readable description of a difference. */
export const describeDifference = ({ scenario, asked, ours, real }: Difference): string =>
  `${EJSON.stringify({ documents: scenario.documents, indexes: scenario.indexes, asked }, { relaxed: false })}\nours: ${JSON.stringify(ours)}\nreal: ${JSON.stringify(real)}`;
