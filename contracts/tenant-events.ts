/** Events of `GET /api/v1/events`. */
export const TENANT_EVENTS = [
  'run.started',
  'run.paused',
  'run.resumed',
  'run.ended',
  'approval.waiting',
  'approval.decided',
  'workflow.changed',
  'knowledge.changed',
  'delivery.recorded',
  'missed',
] as const;

type TenantEventName = (typeof TENANT_EVENTS)[number];

/** Something that happened in a tenant: a hint to fetch it again. `missed`: events were dropped, as there were too many. */
export interface TenantEvent {
  event: TenantEventName;
  at: string;
  execution_id?: string;
  workflow_id?: string;
  workflow_name?: string;
  trigger_type?: string;
  status?: 'running' | 'completed' | 'failed' | 'cancelled';
  /** The address of the step that asks. */
  step_id?: string;
  approved?: boolean;
  change?: 'created' | 'updated' | 'deleted';
  knowledge_base_id?: string;
}
