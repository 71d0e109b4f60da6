/**
 * Keys that match internal events with the workflows they start: a named signal, the end or failure of a run, an event
 * of the billing provider. The `workflows` service stores the keys of each workflow; hosts look up the keys of a run's
 * end.
 */
import type { Json, JsonObject } from './json';
import { isTrial } from './trial';

/** Trigger types that internal events fire. */
export type InternalTrigger = 'signal' | 'workflow_completed' | 'error' | 'billing_event';

type EndStatus = 'completed' | 'failed' | 'cancelled';

const STATUSES: readonly EndStatus[] = ['completed', 'failed', 'cancelled'];
/** Default of `status` in `workflow_completed`. */
const DEFAULT_STATUS = 'completed';

const ANY_FAILURE = 'error';
const ofSignal = (name: string): string => `signal:${name}`;
const ofEnd = (status: EndStatus, workflow: string): string => `ended:${status}:${workflow}`;
const ANY_BILLING = 'billing';
const ofBilling = (event: string): string => `billing:${event}`;
const ofFailure = (workflow: string): string => `error:${workflow}`;

/** Subscription keys of a workflow's triggers; external triggers have none. */
export const subscriptionKeysOf = (
  triggers: readonly { readonly type: string; readonly config: JsonObject }[],
): string[] => [...new Set(triggers.flatMap(({ type, config }) => topicsOfTrigger(type, config)))];

function topicsOfTrigger(type: string, config: JsonObject): string[] {
  // The settings were validated when the workflow was saved.
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

/** Facts of a run's end that decide which workflows it starts. */
export interface EndFacts {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly status: EndStatus;
  /** The trigger that started the run. */
  readonly trigger_type: string;
}

/**
 * Keys of a run's end, with the trigger that each fires. The failure of a run that an `error` trigger started fires no
 * `error` trigger: it could loop endlessly. Trials fire nothing.
 */
export function keysOfEnd({ workflow_id, workflow_name, status, trigger_type }: EndFacts): Topics {
  if (isTrial(trigger_type)) return new Map();
  const named = [workflow_id, workflow_name];
  const ended = named.map((workflow) => [ofEnd(status, workflow), 'workflow_completed'] as const);
  if (status !== 'failed' || trigger_type === 'error') return new Map(ended);
  const failed = [ANY_FAILURE, ...named.map(ofFailure)];
  return new Map([...ended, ...failed.map((each) => [each, 'error'] as const)]);
}

/** Keys with the trigger that each fires. */
type Topics = ReadonlyMap<string, InternalTrigger>;

/** An event that starts workflows. */
type Cause =
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'billing'; readonly event: string }
  | ({ readonly kind: 'ended' } & EndFacts);

/** Keys of an event. */
export function keysOfEvent(cause: Cause): Topics {
  switch (cause.kind) {
    case 'signal':
      return new Map([[ofSignal(cause.signal), 'signal']]);
    case 'billing':
      return new Map([ANY_BILLING, ofBilling(cause.event)].map((topic) => [topic, 'billing_event']));
    case 'ended':
      return keysOfEnd(cause);
  }
}
