import { add, multiply } from '../../bson/arithmetic';
import { compare } from '../../bson/compare';
import { failedToParse, ServerError } from '../../bson/error';
import { compareNumbers, isNumeric, toDouble } from '../../bson/numeric';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { ValueMap } from '../../bson/valueset';
import { readPath } from '../fieldpath';
import { UTC } from '../operators/calendar';
import { addUnits, unitOf } from '../operators/datemath';
import { gathering, optionsOf, type StageCompiler } from '../stage';
import { withValue } from './unwind';

/** How many documents one stage may make, as on the server. */
const MAX_GENERATED = 500_000;

/** The value so many steps after another. */
type Step = (start: Value, count: number) => Value;

function stepOf(range: Doc): Step {
  const size = range.get('step');
  if (!isNumeric(size) || compareNumbers(size, 0) <= 0)
    throw new ServerError(5733401, 'the step of $densify must be a strictly positive numeric value');
  const unitName = range.get('unit');
  if (unitName === undefined) {
    return (start, count) => {
      if (!isNumeric(start)) throw new ServerError(5733201, 'PartitionDensify: a densified value must be numeric');
      return add(start, multiply(size, count));
    };
  }
  const unit = unitOf(unitName, '$densify');
  return (start, count) => {
    if (!(start instanceof Date)) throw new ServerError(5733501, '$densify with a unit needs dates');
    return new Date(addUnits(start.getTime(), unit, toDouble(size) * count, UTC));
  };
}

type Bounds = 'full' | 'partition' | [Value, Value];

function boundsOf(range: Doc): Bounds {
  const bounds = range.get('bounds');
  if (bounds === 'full' || bounds === 'partition') return bounds;
  if (!Array.isArray(bounds) || bounds.length !== 2)
    throw new ServerError(5733403, "the bounds of $densify must be 'full', 'partition' or a two-element array");
  const [low, high] = bounds as [Value, Value];
  if (compare(low, high) >= 0) throw new ServerError(5733402, 'the bounds of $densify must be in ascending order');
  return [low, high];
}

export const densify: StageCompiler = (argument, context, name) => {
  const options = optionsOf(name, argument, ['field', 'range'], ['partitionByFields']);
  const [field, range, by] = [options.get('field'), options.get('range'), options.get('partitionByFields') ?? []];
  if (typeof field !== 'string' || !isDoc(range) || !Array.isArray(by))
    throw failedToParse(`${name}: field, range or partitionByFields has the wrong type`);
  const [path, step, bounds] = [field.split('.'), stepOf(range), boundsOf(range)];
  const keys = by.map((key) => String(key).split('.'));
  return gathering((documents) => {
    const valued = documents.filter((document) => !isEmpty(readPath(document, path)));
    const without = documents.filter((document) => isEmpty(readPath(document, path)));
    valued.sort((a, b) => compare(readPath(a, path), readPath(b, path)));
    const values = valued.map((document) => readPath(document, path) as Value);
    const groups = new ValueMap<Doc[]>(context.collation);
    for (const document of valued) {
      const key = keys.map((part) => readPath(document, part) ?? null);
      groups.set(key, [...(groups.get(key) ?? []), document]);
    }
    const plan: Plan = { path, step, bounds, full: [values[0] as Value, values.at(-1) as Value], left: MAX_GENERATED };
    const dense = [...groups].flatMap(([key, members]) => {
      const template = keys.reduce(
        (made, part, index) => withValue(made, part, (key as Value[])[index]),
        new Map() as Doc,
      );
      return densified(members, template, plan);
    });
    return [...without, ...dense];
  });
};

const isEmpty = (value: Maybe): boolean => value === undefined || value === null;

/** What the partitions of one run have in common. */
interface Plan {
  path: string[];
  step: Step;
  bounds: Bounds;
  /** Least and greatest value over all partitions. */
  full: [Value, Value];
  /** How many documents may still be made. */
  left: number;
}

/** One partition with the missing steps put in. Explicit bounds are half open; others end at the last value. */
function densified(members: readonly Doc[], template: Doc, plan: Plan): Doc[] {
  const { path, step, bounds, full } = plan;
  const own = members.map((document) => readPath(document, path) as Value);
  const ends: Record<string, [Value, Value]> = { full, partition: [own[0] as Value, own.at(-1) as Value] };
  const [low, high] = typeof bounds === 'string' ? (ends[bounds] as [Value, Value]) : bounds;
  const result: Doc[] = [];
  let next = 0;
  for (let count = 0; ; count++) {
    const value = step(low, count);
    const order = compare(value, high);
    if (order > 0 || (order === 0 && Array.isArray(bounds))) break;
    while (next < members.length && compare(own[next], value) < 0) result.push(members[next++] as Doc);
    if (next < members.length && compare(own[next], value) === 0) continue;
    if (--plan.left < 0)
      throw new ServerError(5897900, `Generated ${MAX_GENERATED} documents in $densify, which is over the limit`);
    result.push(withValue(template, path, value));
  }
  return [...result, ...members.slice(next)];
}
