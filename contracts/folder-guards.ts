import type { FolderRight } from '../lib/folder-rights';
import type { ActionName, PersonalAction } from './catalogue';

/** A workflow that a call is about, by itself or by a record of it, and the right that it takes. */
export interface FolderCheck {
  readonly of: 'workflow' | 'run' | 'evaluation' | 'alert';
  /** The param with the id. One that is absent is not checked. */
  readonly param: string;
  readonly right: FolderRight;
  /** The text of the error for an unknown id, where it is not the usual one. */
  readonly missing?: string;
}

/**
 * How an action heeds rights on folders: by checks before its handler; `handler`: it leaves out, or refuses, what the caller
 * may not see or do, by `ctx.folders`; `none`: it shows and changes nothing of a workflow.
 */
export type FolderGuard = readonly [FolderCheck, ...FolderCheck[]] | 'handler' | 'none';

const check =
  (of: FolderCheck['of']) =>
  (right: FolderRight, param = 'id'): readonly [FolderCheck] => [{ of, param, right }];
const workflow = check('workflow');
const run = check('run');
const evaluation = check('evaluation');
const alert = check('alert');
const schedule = (right: FolderRight): readonly [FolderCheck] => [
  { of: 'workflow', param: 'id', right, missing: 'The workflow has no such schedule' },
];

/** Services whose actions show or change workflows or what belongs to them. Each of their actions for people has a guard. */
type GuardedService = 'alerts' | 'channels' | 'evaluations' | 'executions' | 'files' | 'scheduler' | 'workflows';
type GuardedAction = Extract<PersonalAction, `${GuardedService}.${string}`>;

export const FOLDER_GUARDS: Readonly<Record<GuardedAction, FolderGuard> & Partial<Record<ActionName, FolderGuard>>> = {
  'alerts.list': 'handler',
  'alerts.create': 'handler',
  'alerts.get': alert('view'),
  'alerts.update': alert('edit'),
  'alerts.remove': alert('edit'),
  'alerts.mute': alert('edit'),
  'alerts.test': alert('edit'),
  'alerts.notifications': alert('view'),
  'channels.test_bot': 'none',
  'channels.all_deliveries': 'handler',
  'channels.deliveries': workflow('view'),
  'channels.delivery': workflow('view'),
  'channels.redeliver': workflow('run'),
  'evaluations.list_datasets': 'none',
  'evaluations.create_dataset': 'none',
  'evaluations.dataset': 'none',
  'evaluations.update_dataset': 'none',
  'evaluations.remove_dataset': 'handler',
  'evaluations.dataset_tags': 'none',
  'evaluations.rows': 'none',
  'evaluations.add_rows': 'none',
  'evaluations.put_row': 'none',
  'evaluations.remove_row': 'none',
  // It reads runs by actions that are guarded.
  'evaluations.add_from_runs': 'handler',
  'evaluations.begin_upload': 'none',
  'evaluations.put_upload': 'none',
  'evaluations.commit_upload': 'none',
  'evaluations.give_up_upload': 'none',
  'evaluations.list': 'handler',
  'evaluations.create': workflow('run', 'workflow_id'),
  'evaluations.get': evaluation('view'),
  'evaluations.results': evaluation('view'),
  'evaluations.cancel': evaluation('run'),
  'evaluations.rerun_failed': evaluation('run'),
  'evaluations.compare': [...evaluation('view'), ...evaluation('view', 'other')],
  'evaluations.remove': evaluation('edit'),
  'executions.workers': 'none',
  'executions.list': 'handler',
  'executions.visibility': 'handler',
  // Numbers of runs of the workspace.
  'executions.activity': 'none',
  'executions.get': run('view'),
  'executions.timeline': run('view'),
  'executions.logs': run('view'),
  'executions.bulk': 'handler',
  'executions.detail': run('view'),
  'executions.cancel': run('run'),
  'executions.pause': run('run'),
  'executions.resume': run('run'),
  'executions.retry': run('run'),
  'executions.signal': run('run'),
  'executions.approvals': 'handler',
  'executions.approvals_count': 'handler',
  'executions.decided': 'handler',
  'executions.feedback': run('run'),
  'executions.wait': run('view'),
  'executions.subscribe': 'handler',
  'executions.evaluate': 'handler',
  'executions.document': run('view'),
  'executions.overview': run('view'),
  'executions.queues': 'handler',
  'executions.breakdown': 'handler',
  'executions.compare': [...run('view'), ...run('view', 'other')],
  // Public by the id alone, except for the audience `tenant`.
  'executions.events': 'handler',
  'files.list': run('view', 'exec_id'),
  'files.stat': 'handler',
  'files.part': 'handler',
  'scheduler.list': 'handler',
  'scheduler.pause': schedule('edit'),
  'scheduler.resume': schedule('edit'),
  'scheduler.fire': schedule('run'),
  'scheduler.backfill': schedule('run'),
  'workflows.list': 'handler',
  'workflows.create': 'handler',
  'workflows.duplicate': workflow('edit'),
  'workflows.get': workflow('view'),
  'workflows.update': workflow('edit'),
  'workflows.remove': workflow('edit'),
  'workflows.enable': workflow('edit'),
  'workflows.disable': workflow('edit'),
  'workflows.approve': workflow('edit'),
  'workflows.validate': 'none',
  'workflows.used_by': workflow('view'),
  'workflows.folders': 'handler',
  'workflows.export': workflow('view'),
  'workflows.import': 'handler',
  'workflows.health': workflow('view'),
  'workflows.health_all': 'handler',
  'workflows.schedule': workflow('view'),
  'workflows.trigger': workflow('run'),
  'workflows.signal': 'handler',
  'workflows.test_step': workflow('edit'),
  'workflows.pin': workflow('edit'),
  'workflows.unpin': workflow('edit'),
  'workflows.custom_nodes': 'none',
  'workflows.create_custom_node': 'none',
  'workflows.get_custom_node': 'none',
  'workflows.update_custom_node': 'none',
  'workflows.remove_custom_node': 'none',
  'workflows.test_custom_node': 'none',
  'workflows.test_action': 'none',
  'workflows.node_types': 'none',
  'workflows.variables': 'none',
  'workflows.put_variable': 'none',
  'workflows.remove_variable': 'none',
  'workflows.variable_used_by': 'handler',
  'workflows.create_key': workflow('edit'),
  'workflows.list_keys': workflow('view'),
  'workflows.revoke_key': workflow('edit'),
  'workflows.set_webhook_key': workflow('edit'),
  'workflows.clear_webhook_key': workflow('edit'),
  'workflows.all_chats': 'handler',
  'workflows.create_chat': workflow('edit'),
  'workflows.chats': workflow('view'),
  'workflows.update_chat': workflow('edit'),
  'workflows.remove_chat': workflow('edit'),
  'workflows.form': workflow('view'),
  'workflows.create_form_link': workflow('run'),
  'workflows.save_version': workflow('edit'),
  'workflows.versions': workflow('view'),
  'workflows.version': workflow('view'),
  'workflows.restore_version': workflow('edit'),
  'workflows.compare_versions': workflow('view'),
  'workflows.draft': workflow('view'),
  'workflows.put_draft': workflow('edit'),
  'workflows.remove_draft': workflow('edit'),
  'workflows.diff_draft': workflow('view'),
  'workflows.publish': workflow('edit'),
  'workflows.try': [...workflow('edit', 'workflow_id'), ...run('view', 'from_execution')],
  'workflows.test_document_step': [...workflow('edit', 'workflow_id'), ...run('view', 'from_execution')],
  'workflows.folder_list': 'handler',
  'workflows.folder_access': 'handler',
  'workflows.set_folder_access': 'handler',
  'workflows.remove_folder_access': 'handler',
  'connections.used_by': 'handler',
  'secrets.used_by': 'handler',
};
