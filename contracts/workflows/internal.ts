import { actions } from '../contract';
import { id } from '../rules';
import { UsedBy } from '../used-by';
import { DslDiffView } from './versions';
import { REF_KINDS, reactParams } from './params';
import type { Reactions, StartSnapshot } from './views';
import type { TrialPlan } from './trials';
import type { Plan } from '../../dsl/plan';
import * as s from '../../lib/schema';

export const internalActions = actions({
  /** The start snapshot for a webhook or a run call; null when the workflow does not exist. */
  startable: {
    access: 'internal',
    repeatable: true,
    summary: 'The start snapshot of a workflow',
    params: { id },
    result: s.typed<StartSnapshot | null>(),
  },
  /** The start snapshot by id or name, among the tenant's workflows. */
  startable_for: {
    access: 'internal',
    repeatable: true,
    summary: "The start snapshot of one of the tenant's workflows, by its id or name",
    params: { workflow: { type: 'string', min: 1, max: 1_000 } },
    result: s.typed<StartSnapshot | null>(),
  },
  /** Starts once each workflow of the tenant that an event triggers. `depth`: the number of ancestors of the new runs. */
  react: {
    access: 'internal',
    repeatable: true,
    summary: 'Starts the workflows that an internal event triggers',
    params: reactParams,
    result: s.typed<Reactions>(),
  },
  /** The keys of internal events that start workflows of the tenant (see lib/subscription-keys). */
  topics: {
    access: 'internal',
    repeatable: true,
    summary: 'The subscription keys of the event triggers of the tenant',
    params: {},
    result: s.typed<{ topics: string[] }>(),
  },
  /** Names of the tenant's workflows with these ids; unknown ids are left out. */
  names: {
    access: 'internal',
    repeatable: true,
    summary: 'Names of workflows',
    params: { ids: { type: 'array', items: id, max: 1_000 } },
    result: s.typed<{ data: { id: string; name: string }[] }>(),
  },
  /** Does an action of a connector once, as a run of its own under this id; a repetition answers with the same run. */
  act: {
    access: 'internal',
    repeatable: true,
    summary: 'Does an action of a connector once, as a run of its own',
    params: {
      execution_id: id,
      type: { type: 'string', min: 1, max: 200 },
      config: { type: 'object' },
      trigger: { type: 'object', optional: true },
      /** Checks the action, and does nothing. */
      check: { type: 'boolean', optional: true },
    },
    result: s.typed<{
      faults: { path: string; message: string }[];
      status: 'completed' | 'failed' | 'running' | 'checked';
      error: string | null;
    }>(),
  },
  /** The number of active workflows, and the newest of those over `keep`, at most 50. */
  beyond: {
    access: 'internal',
    repeatable: true,
    summary: 'The number of active workflows, and the newest of those over a limit',
    params: { keep: { type: 'number', integer: true, min: 0 } },
    result: s.typed<{ active: number; data: { id: string; name: string }[] }>(),
  },
  /** Workflows that use a resource, sorted by name; `refs`: the id and name of the resource. */
  users: {
    access: 'internal',
    repeatable: true,
    summary: 'Workflows that use something which is about to be deleted',
    params: {
      kind: { type: 'enum', values: [...REF_KINDS, 'secret'] },
      refs: { type: 'array', items: { type: 'string', max: 1_000 }, max: 10 },
    },
    result: s.typed<{ data: { id: string; name: string }[] }>(),
  },
  /** The same, with the places that name it. */
  uses: {
    access: 'internal',
    repeatable: true,
    summary: 'Workflows that use something, and where',
    params: {
      kind: { type: 'enum', values: [...REF_KINDS, 'secret', 'variable'] },
      refs: { type: 'array', items: { type: 'string', max: 1_000 }, max: 10 },
    },
    result: UsedBy,
  },
  /** What leads from one document to another; neither needs to be valid. */
  compare: {
    access: 'internal',
    repeatable: true,
    summary: 'The differences between two documents',
    params: { before: { type: 'object' }, after: { type: 'object' } },
    result: DslDiffView,
  },
  /** Disables a workflow that exceeds the plan. */
  suspend: {
    access: 'internal',
    repeatable: true,
    summary: 'Disables a workflow that exceeds the plan; one that does not exist or is disabled stays unchanged',
    params: { id },
    result: s.nothing,
  },
  /** Stores the plan of a document of a workflow as trials run it (see `workflows.try`). */
  trial_plan: {
    access: 'internal',
    repeatable: true,
    summary: 'The plan by which trials of a saved document run',
    params: {
      id,
      version: { type: 'string', pattern: /^(?:live|draft|[1-9]\d{0,8})$/ },
      writes: { type: 'enum', values: ['suppress', 'allow', 'pinned'] },
      pins: { type: 'record', key: 'string', value: 'object', optional: true },
    },
    result: s.typed<TrialPlan>(),
  },
  /** The immutable plan with this hash. */
  plan: {
    access: 'internal',
    repeatable: true,
    summary: 'The plan of a hash',
    params: { hash: { type: 'string', max: 100 } },
    result: s.typed<Plan>(),
  },
  /** Whether the text is a valid key of the workflow. */
  check_key: {
    access: 'internal',
    repeatable: true,
    summary: 'Whether a text is a live key of the workflow',
    params: { id, key: { type: 'string', max: 1_000 } },
    result: s.typed<{ valid: boolean }>(),
  },
});
