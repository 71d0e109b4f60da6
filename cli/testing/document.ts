/** The document that a case runs: mocked steps answer what the case says, and no other one reaches outside. Pure. */
import { isObject, type JsonObject } from '../../lib/json';
import type { Mock, TestCase } from './test-file';
import { stepsOf } from './test-file';

/** The code of the error of a step that would have reached outside. */
export const NOT_MOCKED = 'not_mocked';

/** What step types do, by name: `pure`, `read` or `write`. */
export type Effects = ReadonlyMap<string, string>;

/** Types that have no effect themselves, and start what may have any. */
const STARTS_OTHERS: ReadonlySet<string> = new Set(['sub_workflow']);
/** Members of a step that a mock keeps: when it runs, and what follows from its outcome. */
const KEPT = ['id', 'name', 'if', 'needs', 'on_error', 'compensate'] as const;

interface Prepared {
  readonly dsl: JsonObject;
  readonly pins: Readonly<Record<string, JsonObject>>;
  /** Faults of the case itself. */
  readonly faults: readonly string[];
}

export function prepare(document: JsonObject, given: TestCase, effects: Effects): Prepared {
  const dsl = structuredClone(document);
  const mocks = given.mocks ?? {};
  const pins: Record<string, JsonObject> = {};
  const known = new Set<string>();
  const holders = new Set<string>();
  for (const step of [...stepsOf([dsl.steps ?? [], dsl.on_error ?? []])]) {
    const id = String(step.id);
    known.add(id);
    const mock = Object.hasOwn(mocks, id) ? mocks[id] : undefined;
    if (mock === undefined) {
      if (reachesOutside(step, effects, given.allow_network === true)) replace(step, blocked(id, String(step.type)));
      continue;
    }
    if (isHolder(step)) holders.add(id);
    else if (isOne(mock) && 'output' in mock) pins[id] = mock.output;
    else replace(step, isOne(mock) ? failing(mock) : perIteration(mock));
  }
  const absent = (part: string, id: string): string[] =>
    known.has(id) ? [] : [`${part}.${id}: the workflow has no such step`];
  const faults = Object.keys(mocks).flatMap((id) => {
    if (holders.has(id)) return [`mocks.${id}: a step that holds others cannot be mocked; mock those inside`];
    return absent('mocks', id);
  });
  for (const part of ['approvals', 'forms'] as const)
    for (const id of Object.keys(given[part] ?? {})) faults.push(...absent(part, id));
  return { dsl, pins, faults };
}

/** What the run of a case sees as its trigger; that of a schedule at `now`, unless the case has another one. */
export function triggerOf({ trigger, triggers = [] }: JsonObject, given: TestCase): JsonObject {
  if (given.trigger !== undefined || given.now === undefined) return given.trigger ?? {};
  const schedule = [trigger, ...(Array.isArray(triggers) ? triggers : [])].find(
    (each) => isObject(each) && each.type === 'schedule',
  );
  if (!isObject(schedule)) return {};
  const at = new Date(given.now).toISOString();
  const { cron, every, timezone = 'UTC' } = isObject(schedule.config) ? schedule.config : {};
  const timer: JsonObject = every === undefined ? { cron: cron ?? null } : { every };
  return { scheduled_for: at, fired_at: at, ...timer, timezone };
}

const isOne = (mock: Mock | readonly Mock[]): mock is Mock => !Array.isArray(mock);

const isHolder = (step: JsonObject): boolean => [...stepsOf(step)].length > 1;

function reachesOutside(step: JsonObject, effects: Effects, mayRead: boolean): boolean {
  if (isObject(step.pin) || isHolder(step)) return false;
  const type = String(step.type);
  const effect = STARTS_OTHERS.has(type) ? 'write' : (effects.get(type) ?? 'pure');
  // With the network, the server suppresses writes.
  return effect !== 'pure' && !mayRead;
}

function replace(step: JsonObject, by: JsonObject): void {
  for (const key of Object.keys(step)) if (!KEPT.includes(key as (typeof KEPT)[number])) delete step[key];
  Object.assign(step, by);
}

const blocked = (id: string, type: string): JsonObject => ({
  type: 'fail',
  config: {
    code: NOT_MOCKED,
    message: `The step "${id}" (${type}) would reach outside of the test: give it a mock, or set allow_network`,
  },
});

const failing = (mock: Mock): JsonObject => ({
  type: 'fail',
  config: 'error' in mock ? { message: escaped(mock.error.message), code: mock.error.code ?? 'failed' } : {},
});

/** Braces of a text that is no template. */
const escaped = (text: string): string => text.replaceAll('{{', '\\{{');

/** A script that answers or throws by the number of the iteration. Its literal has no braces, which would be a template. */
function perIteration(mocks: readonly Mock[]): JsonObject {
  const literal = JSON.stringify(JSON.stringify(mocks)).replace(/[{}]/g, (brace) =>
    brace === '{' ? '\\u007b' : '\\u007d',
  );
  const source = [
    `const mocks = JSON.parse(${literal});`,
    'const mock = mocks[input.index];',
    'if (mock === undefined) throw new Error("There is no mock for iteration " + input.index);',
    'if (mock.error !== undefined) throw new Error(mock.error.message);',
    'return mock.output;',
  ].join('\n');
  return { type: 'code', config: { source, input: { index: '{{ loop.index }}' } }, retry: { max_attempts: 1 } };
}
