/** What a run is compared with. Pure. */
import { isObject, type Json, type JsonObject } from '../../lib/json';
import { NOT_MOCKED } from './document';
import type { ErrorExpectation, Expectation, StepExpectation } from './test-file';

/** A run as it ended, or as it waits. */
export interface RunResult {
  readonly status: string;
  readonly output: Json;
  readonly error: JsonObject | null;
  /** What it waits for. */
  readonly waiting: readonly string[];
  readonly steps: readonly JsonObject[];
}

const MAX_SHOWN_CHARS = 300;
/** Statuses of steps that have not run. */
const NOT_RUN: ReadonlySet<string> = new Set(['pending', 'skipped']);

/** Each difference in one line; none for a run as expected. */
export function differences(seen: RunResult, expected: Expectation = {}): string[] {
  const outside = stepOutside(seen);
  if (outside !== undefined) return [String((outside.error as { message: unknown }).message)];
  const { status = 'completed', steps = {}, not_called: notCalled = [] } = expected;
  const lines: string[] = [];
  if (seen.status !== status) {
    const why = seen.error === null ? '' : ` (${shown(seen.error.code ?? '')}: ${String(seen.error.message)})`;
    const waits = seen.status === 'waiting' ? ` for ${seen.waiting.join(', ')}` : '';
    lines.push(`status: expected ${status}, but it is ${seen.status}${waits}${why}`);
  }
  if (expected.output !== undefined) lines.push(...subset(expected.output, seen.output, 'output'));
  if (expected.output_equals !== undefined) lines.push(...equal(expected.output_equals, seen.output, 'output'));
  if (expected.error !== undefined) lines.push(...errorDifferences(expected.error, seen.error, 'error'));
  for (const [id, wanted] of Object.entries(steps)) lines.push(...stepDifferences(id, wanted, seen.steps));
  for (const id of notCalled) {
    const ran = rowsOf(id, seen.steps).find(hasRun);
    if (ran !== undefined) lines.push(`steps.${id}: must not have been called, but it ${shown(ran.status ?? '')}`);
  }
  return lines;
}

const stepOutside = ({ steps }: RunResult): JsonObject | undefined =>
  steps.find((step) => isObject(step.error) && step.error.code === NOT_MOCKED);

/** True when a step would have reached outside, so that nothing else of the run counts. */
export const reachedOutside = (seen: RunResult): boolean => stepOutside(seen) !== undefined;

/** `each[1]/book` is short for `each/steps[1]/book`. */
const pathOf = (name: string): string => name.replace(/(?<!\/steps)\[(\d+)\]\//g, '/steps[$1]/');

const hasRun = (step: JsonObject): boolean => !NOT_RUN.has(String(step.status));

/** How many times a step ran, in all iterations. */
export const runsOf = (rows: readonly JsonObject[]): number => rows.filter(hasRun).length;

/** The records of a step by its path, or else by its id. */
export const rowsOf = (name: string, steps: readonly JsonObject[]): JsonObject[] => {
  const wanted = pathOf(name);
  const byPath = steps.filter(({ path }) => path === wanted);
  return byPath.length > 0 ? byPath : steps.filter(({ step_id }) => step_id === name);
};

function stepDifferences(id: string, wanted: StepExpectation, steps: readonly JsonObject[]): string[] {
  const rows = rowsOf(id, steps);
  const at = `steps.${id}`;
  const lines: string[] = [];
  if (wanted.count !== undefined) {
    const count = runsOf(rows);
    if (count !== wanted.count) lines.push(`${at}: expected to run ${wanted.count} times, but it ran ${count} times`);
    if (Object.keys(wanted).length === 1) return lines;
  }
  const [row] = rows;
  if (row === undefined) return wanted.status === 'pending' ? lines : [...lines, `${at}: the run has no such step`];
  if (rows.length > 1)
    return [...lines, `${at}: ran ${rows.length} times; name one by its path, such as ${String(row.path)}`];
  if (wanted.status !== undefined && row.status !== wanted.status) {
    const why = isObject(row.error) ? ` (${String(row.error.message)})` : '';
    lines.push(`${at}.status: expected ${wanted.status}, but it is ${String(row.status)}${why}`);
  }
  if (wanted.output !== undefined) lines.push(...subset(wanted.output, row.output ?? null, `${at}.output`));
  if (wanted.input !== undefined) lines.push(...subset(wanted.input, row.input ?? null, `${at}.input`));
  const error = isObject(row.error) ? row.error : null;
  if (wanted.error !== undefined) lines.push(...errorDifferences(wanted.error, error, `${at}.error`));
  return lines;
}

export function errorDifferences(wanted: ErrorExpectation, error: JsonObject | null, path: string): string[] {
  if (error === null) return [`${path}: expected an error, but there is none`];
  const lines: string[] = [];
  if (wanted.code !== undefined && error.code !== wanted.code)
    lines.push(`${path}.code: expected ${shown(wanted.code)}, but it is ${shown(error.code ?? null)}`);
  if (wanted.message !== undefined && !String(error.message).includes(wanted.message))
    lines.push(
      `${path}.message: expected to contain ${shown(wanted.message)}, but it is ${shown(error.message ?? null)}`,
    );
  return lines;
}

/** Members that are expected must be there; a list must have the same length. */
export function subset(wanted: Json, value: Json, path: string): string[] {
  if (Array.isArray(wanted) && Array.isArray(value)) {
    if (wanted.length !== value.length)
      return [`${path}: expected ${wanted.length} items, but there are ${value.length}: ${shown(value)}`];
    return wanted.flatMap((each, index) => subset(each, value[index] as Json, `${path}[${index}]`));
  }
  if (isObject(wanted) && isObject(value))
    return Object.entries(wanted).flatMap(([key, each]) =>
      Object.hasOwn(value, key)
        ? subset(each, value[key] as Json, `${path}.${key}`)
        : [`${path}.${key}: expected ${shown(each)}, but it is missing`],
    );
  return same(wanted, value) ? [] : [`${path}: expected ${shown(wanted)}, but it is ${shown(value)}`];
}

export function equal(wanted: Json, value: Json, path: string): string[] {
  const lines = subset(wanted, value, path);
  return lines.length > 0 ? lines : surplus(wanted, value, path);
}

/** What a value has in addition to what is expected, of which it has everything. */
function surplus(wanted: Json, value: Json, path: string): string[] {
  if (Array.isArray(wanted) && Array.isArray(value))
    return value.flatMap((each, index) => surplus(wanted[index] as Json, each, `${path}[${index}]`));
  if (!isObject(wanted) || !isObject(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    Object.hasOwn(wanted, key)
      ? surplus(wanted[key] as Json, each, `${path}.${key}`)
      : [`${path}.${key}: not expected, but it is ${shown(each)}`],
  );
}

const same = (a: Json, b: Json): boolean => JSON.stringify(a) === JSON.stringify(b);

export function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}
