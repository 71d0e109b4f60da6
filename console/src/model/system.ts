import { formatCount } from './format';
import type { Tone } from './status';

export const SYSTEM_TABS = [
  { key: 'hosts', label: 'Hosts' },
  { key: 'queues', label: 'Queues' },
  { key: 'readiness', label: 'Readiness' },
  { key: 'keys', label: 'Keys' },
  { key: 'tenants', label: 'Tenants' },
  { key: 'log', label: 'Log' },
] as const;

/** What a process is for, by its services. */
export function roleOf(services: readonly string[]): string {
  const [gateway, executor] = [services.includes('api-gateway'), services.includes('executor')];
  if (gateway && executor) return 'All services';
  if (gateway) return 'Gateway';
  if (executor) return services.length === 1 ? 'Executor' : 'Executor and more';
  return services.length === 0 ? 'None' : services.join(', ');
}

interface HostState {
  readonly state: 'alive' | 'disconnected' | 'silent';
  readonly executor: { readonly state: 'alive' | 'dead' | 'draining' | 'left' } | null;
}

interface Look {
  readonly tone: Tone;
  readonly label: string;
}

const HOST_LOOKS: Readonly<Record<HostState['state'], Look>> = {
  alive: { tone: 'ok', label: 'Alive' },
  silent: { tone: 'warn', label: 'Silent' },
  disconnected: { tone: 'danger', label: 'Gone' },
};

/** How a process is; an executor that stops or has lost its lease is named first. */
export function hostLook({ state, executor }: HostState): Look {
  if (state === 'alive' && executor?.state === 'draining') return { tone: 'warn', label: 'Stopping' };
  if (state === 'alive' && executor?.state === 'dead') return { tone: 'danger', label: 'No lease' };
  return HOST_LOOKS[state];
}

/** `12 of 2,000`. */
export const runsText = (executor: { running: number; waiting: number; capacity: number } | null): string =>
  executor === null ? '' : `${formatCount(executor.running + executor.waiting)} of ${formatCount(executor.capacity)}`;

export const QUEUES = {
  host: { label: 'A process', about: 'Due runs that no executor has claimed yet' },
  slot: { label: 'Concurrency of the plan', about: 'Runs over the number that the plan of their tenant admits' },
  concurrency: { label: 'Runs at a time', about: 'Limits of workflows' },
  throttle: { label: 'Starts in a period', about: 'Limits of workflows' },
  connection: { label: 'Connections', about: 'Steps that wait for the quota of their connection' },
  debounce: { label: 'Debounced starts', about: 'Runs that wait for the last start' },
  batch: { label: 'Batches', about: 'Runs that wait until their batch is full or its time is over' },
} as const;

export const DEPENDENCIES = {
  bus: { label: 'NATS', setting: 'TRANSPORTER' },
  database: { label: 'Database', setting: 'MONGO_URL' },
  mail: { label: 'Mail server', setting: 'SMTP_URL' },
  qdrant: { label: 'Qdrant', setting: 'QDRANT_URL' },
  redis: { label: 'Redis', setting: 'REDIS_URL' },
} as const;

export const DEPENDENCY_LOOKS: Readonly<Record<'not_configured' | 'ready' | 'unavailable', Look>> = {
  ready: { tone: 'ok', label: 'Ready' },
  unavailable: { tone: 'danger', label: 'Unavailable' },
  not_configured: { tone: 'neutral', label: 'Not used' },
};

/** How much of the values is under the key in use, from 0 to 1; null where nothing was left to do. */
export function rotationShare(
  collections: readonly { readonly left: number; readonly resealed: number }[],
): number | null {
  const left = collections.reduce((sum, each) => sum + each.left, 0);
  const done = collections.reduce((sum, each) => sum + each.resealed, 0);
  return left === 0 ? null : done / (done + left);
}
