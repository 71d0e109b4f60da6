import { join } from 'node:path';
import type { ServiceBroker, ServiceSchema } from 'moleculer';

interface ServiceModule {
  readonly default: (broker: ServiceBroker) => ServiceSchema;
}

/** Services whose folder has another name: `executor` and `executions` share the records of runs. */
const FOLDERS: Readonly<Record<string, string>> = { executions: 'executor' };

/** Path of a service's file for moleculer-runner. `caches` and `processes` run in every process, so SERVICES does not list them. */
export const serviceFile = (name: string): string =>
  require.resolve(join(__dirname, '..', 'services', FOLDERS[name] ?? name, `${name}.service`));

/** The same files, by paths that the bundle of start/build.mjs can follow. */
const MODULES: Readonly<Record<string, () => unknown>> = {
  ai: () => require('../services/ai/ai.service'),
  alerts: () => require('../services/alerts/alerts.service'),
  'api-gateway': () => require('../services/api-gateway/api-gateway.service'),
  audit: () => require('../services/audit/audit.service'),
  auth: () => require('../services/auth/auth.service'),
  billing: () => require('../services/billing/billing.service'),
  caches: () => require('../services/caches/caches.service'),
  channels: () => require('../services/channels/channels.service'),
  connections: () => require('../services/connections/connections.service'),
  connectors: () => require('../services/connectors/connectors.service'),
  evaluations: () => require('../services/evaluations/evaluations.service'),
  executions: () => require('../services/executor/executions.service'),
  executor: () => require('../services/executor/executor.service'),
  files: () => require('../services/files/files.service'),
  knowledge: () => require('../services/knowledge/knowledge.service'),
  processes: () => require('../services/processes/processes.service'),
  scheduler: () => require('../services/scheduler/scheduler.service'),
  secrets: () => require('../services/secrets/secrets.service'),
  skills: () => require('../services/skills/skills.service'),
  workflows: () => require('../services/workflows/workflows.service'),
};

/** Loads a service's module. @throws Error for an unknown name */
export function serviceModule(name: string): ServiceModule {
  const load = MODULES[name];
  if (load === undefined) throw new Error(`No service is named ${name}: add it to start/service-files.ts`);
  return load() as ServiceModule;
}
