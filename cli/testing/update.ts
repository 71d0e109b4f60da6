/** What a case would have to expect of a run. Pure. */
import { isObject, type Json, type JsonObject } from '../../lib/json';
import { differences, equal, errorDifferences, rowsOf, type RunResult, runsOf, shown, subset } from './compare';
import type { JsonPath } from './json-edit';
import type { ErrorExpectation, Expectation, StepExpectation } from './test-file';

/** A value that a case expects from now on; undefined: it expects nothing there. */
export interface Change {
  readonly path: JsonPath;
  readonly before: Json | undefined;
  readonly after: Json;
}

/** The expectation that a run fits. It has the same members; a case without any gets status and output. */
export function expectationOf(seen: RunResult, expected: Expectation | undefined): Expectation {
  const { status } = seen;
  if (expected === undefined)
    return status === 'completed'
      ? { output: seen.output }
      : { status, ...(seen.error === null ? {} : { error: shortError(seen.error) }) };
  if (differences(seen, expected).length === 0) return expected;
  const isUsual = expected.status === undefined && status === 'completed';
  const next: Record<string, unknown> = isUsual ? {} : { status };
  for (const [key, value] of Object.entries(expected)) {
    if (key === 'status') next.status = status;
    else if (key === 'output') next.output = fitted(value as Json, seen.output);
    else if (key === 'output_equals')
      next[key] = equal(value as Json, seen.output, '').length === 0 ? value : seen.output;
    else if (key === 'error') assign(next, key, errorOf(value as ErrorExpectation, seen.error));
    else if (key === 'steps') next.steps = stepsOf(value as Record<string, StepExpectation>, seen.steps);
    else if (key === 'not_called') next[key] = (value as string[]).filter((id) => runsOf(rowsOf(id, seen.steps)) === 0);
  }
  return inOrderOf(expected, next);
}

function stepsOf(wanted: Readonly<Record<string, StepExpectation>>, steps: readonly JsonObject[]): JsonObject {
  const next: JsonObject = {};
  for (const [id, step] of Object.entries(wanted)) {
    const rows = rowsOf(id, steps);
    const [row] = rows;
    // A step that the run does not have, or an ambiguous one, is a fault of the case, not of the run.
    if (row === undefined) continue;
    const kept: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(step)) {
      if (key === 'count') kept.count = runsOf(rows);
      else if (rows.length > 1) kept[key] = value;
      else if (key === 'status') kept.status = row.status;
      else if (key === 'error')
        assign(kept, key, errorOf(value as ErrorExpectation, isObject(row.error) ? row.error : null));
      else kept[key] = fitted(value as Json, row[key] ?? null);
    }
    next[id] = kept as JsonObject;
  }
  return next;
}

/** Of an object, the members that are expected; a member that is missing is not expected any more. */
function fitted(wanted: Json, value: Json): Json {
  if (subset(wanted, value, '').length === 0) return wanted;
  if (!isObject(wanted) || !isObject(value)) return value;
  const kept = Object.entries(wanted).filter(([key]) => Object.hasOwn(value, key));
  return Object.fromEntries(kept.map(([key, each]) => [key, fitted(each, value[key] as Json)]));
}

function errorOf(wanted: ErrorExpectation, error: JsonObject | null): JsonObject | undefined {
  if (error === null) return undefined;
  if (errorDifferences(wanted, error, '').length === 0) return { ...wanted };
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, error[key] ?? null]));
}

const shortError = ({ code = null }: JsonObject): ErrorExpectation => (code === null ? {} : { code: String(code) });

function assign(target: Record<string, unknown>, key: string, value: unknown): void {
  if (value !== undefined) target[key] = value;
}

/** Members in the order of the ones before; new ones are the last. */
function inOrderOf(before: object, after: Readonly<Record<string, unknown>>): JsonObject {
  const keys = [...Object.keys(before).filter((key) => Object.hasOwn(after, key)), ...Object.keys(after)];
  return Object.fromEntries([...new Set(keys)].map((key) => [key, after[key] as Json]));
}

/** The smallest parts that differ: an object with other members is one part. */
export function changesOf(before: Json | undefined, after: Json, path: JsonPath): Change[] {
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const [keys, others] = [Object.keys(before), Object.keys(after)];
    const isSame = keys.length <= others.length && keys.every((key) => Object.hasOwn(after, key));
    if (isSame) return others.flatMap((key) => changesOf(before[key] as Json, after[key] as Json, [...path, key]));
  }
  return [{ path, before, after }];
}

/** For people, such as `expect.output.sum: 10 → 12`. `skip`: parts of the path that are left out. */
export const lineOf = ({ path, before, after }: Change, skip: number): string =>
  `${path.slice(skip).join('.')}: ${before === undefined ? 'nothing' : shown(before)} → ${shown(after)}`;
