/**
 * What starts workflows from inside of the service, as words that can be looked up: a signal of a name, the end of a
 * run, a failure, an event of the billing provider. The `workflows` service keeps the words of each workflow; hosts ask
 * whether a run's end is among them.
 */
import type { Json, JsonObject } from '../lib/json';
import type { RunCause } from '../services/workflows/contract';

/** Trigger types that things inside of the service fire. */
export type InternalTrigger = 'signal' | 'workflow_completed' | 'error' | 'billing_event';

type EndStatus = 'completed' | 'failed' | 'cancelled';

const STATUSES: readonly EndStatus[] = ['completed', 'failed', 'cancelled'];
/** What `workflow_completed` takes where its author says nothing. */
const DEFAULT_STATUS = 'completed';

const ANY_FAILURE = 'error';
const ofSignal = (name: string): string => `signal:${name}`;
const ofEnd = (status: EndStatus, workflow: string): string => `ended:${status}:${workflow}`;
const ANY_BILLING = 'billing';
const ofBilling = (event: string): string => `billing:${event}`;
const ofFailure = (workflow: string): string => `error:${workflow}`;

/** Everything inside of the service that starts a workflow with these triggers; those fired from outside have nothing. */
export const topicsOf = (triggers: readonly { readonly type: string; readonly config: JsonObject }[]): string[] => [
  ...new Set(triggers.flatMap(({ type, config }) => topicsOfTrigger(type, config))),
];

function topicsOfTrigger(type: string, config: JsonObject): string[] {
  // The language has checked the settings when the workflow was saved.
  const workflow = textOf(config.workflow);
  switch (type) {
    case 'signal':
      return [ofSignal(textOf(config.signal) ?? '')];
    case 'workflow_completed': {
      const wanted = textOf(config.status) ?? DEFAULT_STATUS;
      return STATUSES.filter((status) => wanted === 'any' || wanted === status).map((each) =>
        ofEnd(each, workflow ?? ''),
      );
    }
    case 'error':
      return [workflow === null ? ANY_FAILURE : ofFailure(workflow)];
    case 'billing_event':
      return Array.isArray(config.events)
        ? config.events.flatMap((event) => textOf(event) ?? []).map(ofBilling)
        : [ANY_BILLING];
    default:
      return [];
  }
}

const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

/** A run's end, as far as it says whom it concerns. */
export interface EndFacts {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly status: EndStatus;
  /** What has started the run. */
  readonly trigger_type: string;
}

/**
 * The topics of an end, with the trigger that each fires. The failure of a run that an `error` trigger has started
 * fires no other one: it would go on for ever. Tests of steps are nobody's concern.
 */
export function topicsOfEnd({ workflow_id, workflow_name, status, trigger_type }: EndFacts): Topics {
  if (trigger_type === 'test') return new Map();
  const named = [workflow_id, workflow_name];
  const ended = named.map((workflow) => [ofEnd(status, workflow), 'workflow_completed'] as const);
  if (status !== 'failed' || trigger_type === 'error') return new Map(ended);
  const failed = [ANY_FAILURE, ...named.map(ofFailure)];
  return new Map([...ended, ...failed.map((each) => [each, 'error'] as const)]);
}

/** Topics with the trigger that each fires. */
export type Topics = ReadonlyMap<string, InternalTrigger>;

/** The topics of whatever may start workflows. */
export function topicsOfCause(cause: RunCause): Topics {
  switch (cause.kind) {
    case 'signal':
      return new Map([[ofSignal(cause.signal), 'signal']]);
    case 'billing':
      return new Map([ANY_BILLING, ofBilling(cause.event)].map((topic) => [topic, 'billing_event']));
    case 'ended':
      return topicsOfEnd(cause);
  }
}
