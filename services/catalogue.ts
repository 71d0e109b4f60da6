import type { AiActions } from './ai/contract';
import type { AuditActions } from './audit/contract';
import type { AuthActions } from './auth/contract';
import type { BillingActions } from './billing/contract';
import type { ChannelsActions } from './channels/contract';
import type { ConnectionsActions } from './connections/contract';
import type { ConnectorsActions } from './connectors/contract';
import type { ExecutorActions, ExecutorEvents } from './executor/contract';
import type { FilesActions } from './files/contract';
import type { KnowledgeActions } from './knowledge/contract';
import type { SchedulerActions } from './scheduler/contract';
import type { SecretsActions } from './secrets/contract';
import type { SkillsActions } from './skills/contract';
import type { WorkflowsActions } from './workflows/contract';

/** Every action that one service may call on another: its name, what it takes, what it gives. Plain JSON both ways. */
export interface Catalogue
  extends AuthActions,
    SecretsActions,
    WorkflowsActions,
    ExecutorActions,
    SchedulerActions,
    ChannelsActions,
    ConnectionsActions,
    ConnectorsActions,
    FilesActions,
    KnowledgeActions,
    BillingActions,
    AiActions,
    SkillsActions,
    AuditActions {}

/** Every event that services send each other. Delivered at most once: hints, never facts. */
export interface EventCatalogue extends ExecutorEvents {
  /** Cached answers whose keys match one of the patterns are stale on every node. */
  'cache.stale': { patterns: string[] };
}

export type ActionName = keyof Catalogue;
export type EventName = keyof EventCatalogue;
export type ParamsOf<A extends ActionName> = Parameters<Catalogue[A]>[0];
export type ResultOf<A extends ActionName> = ReturnType<Catalogue[A]>;

/**
 * Actions that may be carried out twice without harm: those that only read, those that wait, and those whose caller has
 * chosen the id of what they make. They are asked of another node when the one that had them went away.
 */
export const REPEATABLE: ReadonlySet<string> = new Set<ActionName>([
  'auth.verify',
  'auth.tenant',
  'auth.update_settings',
  'auth.list_api_keys',
  'auth.entitlements',
  'auth.sso_config',
  'auth.sso_check',
  'auth.sso_metadata',
  'auth.sso_authorize',
  'auth.sso_posted',
  'auth.suite_authorize',
  'auth.jwks',
  'auth.organizations',
  'auth.organization',
  'auth.owners',
  'auth.seats',
  'auth.me',
  'auth.members',
  'auth.invites',
  'secrets.list',
  'secrets.keys',
  'secrets.reveal',
  'secrets.missing',
  'workflows.list',
  'workflows.get',
  'workflows.validate',
  'workflows.export',
  'workflows.health',
  'workflows.health_all',
  'workflows.schedule',
  'workflows.versions',
  'workflows.version',
  'workflows.compare_versions',
  'workflows.list_keys',
  'workflows.startable',
  'workflows.startable_for',
  'workflows.react',
  'workflows.topics',
  'workflows.chats',
  'workflows.chat',
  'workflows.plan',
  'workflows.check_key',
  'workflows.custom_nodes',
  'workflows.get_custom_node',
  'workflows.custom_node',
  'workflows.node_types',
  'workflows.variables',
  'workflows.variable_values',
  'workflows.beyond',
  'workflows.suspend',
  'scheduler.sync',
  'scheduler.state',
  'connections.oauth_status',
  'connections.list',
  'connections.credentials',
  'connectors.list',
  'connectors.get',
  'connectors.imported_all',
  'connectors.imported',
  'connectors.imported_action',
  'files.begin',
  'files.put_part',
  'files.commit',
  'files.give_up',
  'files.find',
  'files.read_part',
  'files.share',
  'files.remove',
  'files.usage',
  'files.list',
  'files.list_public',
  'files.stat',
  'files.part',
  'files.shared',
  'files.shared_part',
  'executor.start',
  'executor.ready',
  'executions.accept',
  'executions.settled',
  'executions.statuses',
  'executions.purge',
  'executions.health',
  'executions.usage',
  'executions.figures',
  'executions.workers',
  'executions.list',
  'executions.visibility',
  'executions.timeline',
  'executions.get',
  'executions.detail',
  'executions.deliver',
  'executions.approvals',
  'executions.public',
  'executions.events',
  'ai.models',
  'knowledge.list',
  'knowledge.get',
  'knowledge.documents',
  'knowledge.document',
  'knowledge.chunks',
  // Steps give what they add a key.
  'knowledge.add_for',
  'knowledge.begin_upload',
  'knowledge.put_upload',
  'knowledge.commit_upload',
  'knowledge.give_up_upload',
  'knowledge.query',
  'knowledge.query_for',
  'knowledge.resolve',
  'knowledge.usage',
  'skills.list',
  'skills.get',
  'skills.begin_upload',
  'skills.put_upload',
  'skills.give_up_upload',
  'skills.published',
  'skills.published_skill',
  'skills.search',
  'skills.missing',
  'skills.pin',
  'skills.read',
  'skills.read_file',
  'billing.plans',
  'billing.subscription',
  'billing.metrics',
  'billing.receive',
  'billing.allowance',
  'audit.list',
  'audit.verify',
  // Both leave alone what is not in progress any more.
  'channels.finish_once',
  'channels.abandon_once',
  'channels.chat_door',
  // The caller has chosen the run's id.
  'channels.chat',
  // The run's id is made of the event's.
  'channels.voice_event',
  'channels.verify_messaging',
  // Ids of runs are made of those of the messages.
  'channels.message',
  'channels.deliveries',
  'channels.delivery',
  'channels.purge',
]);

/** Actions whose callers have another way when nobody is there to carry them out. */
export const AVOIDABLE: ReadonlySet<string> = new Set<ActionName>(['executor.start']);

/** Event group of those on one node who wait for runs to move. */
export const watchGroup = (nodeId: string): string => `watch@${nodeId}`;

/** Event group of the host of executions on one node. */
export const hostGroup = (nodeId: string): string => `executor@${nodeId}`;

/** Calls an action by name, with its own types. `asService` lets the callee see the service acting for the tenant. */
export type Call = <A extends ActionName>(
  action: A,
  params: ParamsOf<A>,
  options?: { timeoutMs?: number; asServiceOf?: string; trace?: string | null },
) => Promise<ResultOf<A>>;
