import type { Filter } from 'mongodb';
import type { ExecutionDocument } from '../../../runtime/mongo/documents';

export type RunFilter = Filter<ExecutionDocument>;

/** A field of a query and its mapping to documents. */
export type Field = { readonly absent: RunFilter } & (
  | {
      readonly kind: 'words';
      /** Values by lower-case word; null: any text. */
      readonly words: ReadonlyMap<string, RunFilter> | null;
      /** Runs with one of these values. */
      readonly anyOf: (values: readonly string[]) => RunFilter;
      readonly startingWith: (prefix: string) => RunFilter;
    }
  | { readonly kind: 'instant' | 'duration'; readonly path: string }
);

const at = (path: string, value: unknown): RunFilter => ({ [path]: value });
const oneOf = (values: readonly string[]): unknown => (values.length === 1 ? values[0] : { $in: [...values] });
/** The last code point. All texts with a prefix sort up to the prefix followed by it. */
const LAST = '\u{10ffff}';
const from = (prefix: string) => ({ $gte: prefix, $lte: `${prefix}${LAST}` });
const either = (filters: readonly RunFilter[]): RunFilter =>
  filters.length === 1 ? (filters[0] as RunFilter) : { $or: [...filters] };

const text = (path: string, absent: RunFilter = at(path, null)): Field => ({
  kind: 'words',
  words: null,
  absent,
  anyOf: (values) => at(path, oneOf(values)),
  startingWith: (prefix) => at(path, from(prefix)),
});

/** The value of a label. On one element of the list, as several labels must not meet one condition together. */
export function labelField(name: string): Field {
  const prefix = `${name}=`;
  return {
    kind: 'words',
    words: null,
    absent: { $nor: [{ labels: { $elemMatch: from(prefix) } }] },
    anyOf: (values) => at('labels', oneOf(values.map((value) => `${prefix}${value}`))),
    startingWith: (start) => ({ labels: { $elemMatch: from(`${prefix}${start}`) } }),
  };
}

/** Matches no run. */
const NONE: RunFilter = { _id: { $in: [] } };

const STATUSES: ReadonlyMap<string, RunFilter> = new Map([
  ['running', { status: 'running' }],
  ['completed', { status: 'completed' }],
  ['failed', { status: 'failed' }],
  ['canceled', { status: 'cancelled' }],
  ['cancelled', { status: 'cancelled' }],
  // A run that timed out has the status `failed`.
  ['timedout', { status: 'failed', 'error.code': 'timed_out' }],
  // Statuses of other engines that runs never have here.
  ['terminated', NONE],
  ['continuedasnew', NONE],
]);

/** Runs that wait for one of these. A pause is not among the waits of steps. */
const PAUSED = 'paused';
const IS_PAUSED: RunFilter = { status: 'running', 'pause.kind': 'pause' };
const waits = text('waiting.kind') as Extract<Field, { kind: 'words' }>;
const waitingFor: Field = {
  kind: 'words',
  words: null,
  absent: { waiting: { $size: 0 }, $nor: [IS_PAUSED] },
  anyOf: (values) => {
    const steps = values.filter((value) => value !== PAUSED);
    return either([
      ...(steps.length > 0 ? [waits.anyOf(steps)] : []),
      ...(steps.length < values.length ? [IS_PAUSED] : []),
    ]);
  },
  startingWith: (prefix) =>
    PAUSED.startsWith(prefix) ? either([waits.startingWith(prefix), IS_PAUSED]) : waits.startingWith(prefix),
};

const id = text('_id');
const started: Field = { kind: 'instant', path: 'started_at', absent: NONE };

/** All fields by lower-case name. */
export const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['workflowid', { ...id, absent: NONE }],
  ['runid', { ...id, absent: NONE }],
  [
    'workflowtype',
    {
      kind: 'words',
      words: null,
      absent: NONE,
      anyOf: (values) => either([at('workflow_id', oneOf(values)), at('workflow_name', oneOf(values))]),
      startingWith: (prefix) => either([at('workflow_id', from(prefix)), at('workflow_name', from(prefix))]),
    },
  ],
  [
    'executionstatus',
    {
      kind: 'words',
      words: STATUSES,
      absent: NONE,
      anyOf: (values) => either(values.map((value) => STATUSES.get(value) as RunFilter)),
      startingWith: (prefix) =>
        either([...STATUSES].flatMap(([word, filter]) => (word.startsWith(prefix.toLowerCase()) ? [filter] : [NONE]))),
    },
  ],
  ['starttime', started],
  ['executiontime', started],
  ['closetime', { kind: 'instant', path: 'ended_at', absent: at('ended_at', null) }],
  ['executionduration', { kind: 'duration', path: 'duration_ms', absent: at('duration_ms', null) }],
  ['triggertype', text('trigger_type', NONE)],
  ['parentworkflowid', text('parent.execution_id', at('parent', null))],
  ['waitingfor', waitingFor],
]);

/** Field names as displayed. */
export const FIELD_NAMES =
  'WorkflowId, WorkflowType, RunId, ExecutionStatus, StartTime, CloseTime, ExecutionTime, ExecutionDuration, TriggerType, ParentWorkflowId, WaitingFor, Label.NAME';
