import { aiContract } from './ai';
import { alertsContract } from './alerts';
import { auditContract } from './audit';
import { authContract } from './auth';
import { billingContract } from './billing';
import { cachesContract } from './caches';
import { channelsContract } from './channels';
import { connectionsContract } from './connections';
import { connectorsContract } from './connectors';
import type { ActionContract } from './contract';
import { evaluationsContract } from './evaluations';
import { executionsContract } from './executions';
import { executorContract } from './executor';
import { filesContract } from './files';
import { knowledgeContract } from './knowledge';
import { processesContract } from './processes';
import type { ParamsOfRules } from './rules';
import { schedulerContract } from './scheduler';
import { secretsContract } from './secrets';
import { skillsContract } from './skills';
import { workflowsContract } from './workflows';

/** What every service promises, by its name. */
const CONTRACTS = {
  ai: aiContract,
  alerts: alertsContract,
  audit: auditContract,
  auth: authContract,
  billing: billingContract,
  caches: cachesContract,
  channels: channelsContract,
  connections: connectionsContract,
  connectors: connectorsContract,
  evaluations: evaluationsContract,
  executions: executionsContract,
  executor: executorContract,
  files: filesContract,
  knowledge: knowledgeContract,
  processes: processesContract,
  scheduler: schedulerContract,
  secrets: secretsContract,
  skills: skillsContract,
  workflows: workflowsContract,
};

type Contracts = typeof CONTRACTS;
type ContractName = keyof Contracts;

type QualifiedActions<S extends ContractName> = {
  [N in keyof Contracts[S]['actions'] & string as `${S}.${N}`]: Contracts[S]['actions'][N];
};
type ActionContracts = QualifiedActions<'ai'> &
  QualifiedActions<'alerts'> &
  QualifiedActions<'audit'> &
  QualifiedActions<'auth'> &
  QualifiedActions<'billing'> &
  QualifiedActions<'caches'> &
  QualifiedActions<'channels'> &
  QualifiedActions<'connections'> &
  QualifiedActions<'connectors'> &
  QualifiedActions<'evaluations'> &
  QualifiedActions<'executions'> &
  QualifiedActions<'executor'> &
  QualifiedActions<'files'> &
  QualifiedActions<'knowledge'> &
  QualifiedActions<'processes'> &
  QualifiedActions<'scheduler'> &
  QualifiedActions<'secrets'> &
  QualifiedActions<'skills'> &
  QualifiedActions<'workflows'>;

/** Every action that one service may call on another, such as `workflows.create`. Params and results are plain JSON. */
export type ActionName = keyof ActionContracts;
export type ParamsOf<A extends ActionName> = ParamsOfRules<ActionContracts[A]['params']>;
export type ResultOf<A extends ActionName> = ActionContracts[A]['result']['type'];

/** Actions that people and keys may call by their role. */
export type PersonalAction = {
  [A in ActionName]: ActionContracts[A]['access'] extends 'viewer' | 'member' | 'admin' | 'owner' ? A : never;
}[ActionName];

/** Every action, in the order of its service. */
export const ACTIONS = Object.fromEntries(
  Object.entries(CONTRACTS).flatMap(([service, { actions }]) =>
    Object.entries(actions).map(([name, action]) => [`${service}.${name}`, action]),
  ),
) as unknown as Readonly<Record<ActionName, ActionContract>>;

/** Actions that are asked of another node when the one that had them went away. */
export const IDEMPOTENT_ACTIONS: ReadonlySet<string> = new Set(
  Object.entries(ACTIONS).flatMap(([name, { repeatable }]) => (repeatable === true ? [name] : [])),
);

/** Actions whose callers have another way when no process carries them out. */
export const ACTIONS_WITH_FALLBACK: ReadonlySet<string> = new Set<ActionName>(['executor.start']);

/** Calls an action by name, with its own types. `asServiceOf` lets the callee see the service acting for the tenant. */
export type Call = <A extends ActionName>(
  action: A,
  params: ParamsOf<A>,
  options?: { timeoutMs?: number; asServiceOf?: string; trace?: string | null },
) => Promise<ResultOf<A>>;
