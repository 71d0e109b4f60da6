import { SERVICE_NAMES } from '../lib/config';

/** How many processes of each role there are, and where the first gateway listens; the others follow. */
export interface ClusterSize {
  readonly executors: number;
  readonly gateways: number;
  readonly port: number;
}

/** Variables that every process of one cluster has in common. */
export type SharedEnv = Readonly<Record<string, string>>;

/** A process of the product: what makes it what it is, and where it can be asked. */
export interface PlannedProcess {
  readonly name: string;
  readonly url: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** Everything but hosting runs: any number of such processes serve the same API. */
export const GATEWAY_SERVICES = SERVICE_NAMES.filter((name) => name !== 'executor').join(',');

/** The processes of the product, in the order in which they start. Pure. */
export function planCluster({ executors, gateways, port }: ClusterSize, shared: SharedEnv): PlannedProcess[] {
  return [
    ...numbered('executor', executors).map((name) => ({
      name,
      url: null,
      env: { ...shared, NODE_ID: name, SERVICES: 'executor' },
    })),
    ...numbered('gateway', gateways).map((name, n) => ({
      name,
      url: `http://localhost:${port + n}`,
      env: { ...shared, NODE_ID: name, SERVICES: GATEWAY_SERVICES, PORT: String(port + n) },
    })),
  ];
}

const numbered = (role: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${role}-${n + 1}`);

/** Names of running processes, grouped in the order in which they stop: gateways, executors, the store, the bus. */
export function stopOrder(names: readonly string[]): string[][] {
  const stages = ['gateway', 'executor', 'store', 'nats'].map((role) => names.filter((name) => name.startsWith(role)));
  return stages.filter((stage) => stage.length > 0);
}

/** Configuration of a NATS server for this machine alone, with one login and room for whole documents. Pure. */
export const natsConfig = (port: number, user: string, password: string): string => `host: 127.0.0.1
port: ${port}
max_payload: 8MB
logtime: false
authorization { user: "${user}", password: "${password}" }
`;

/** What is printed when all are up: who is who, and what to try. Pure. */
export function clusterTable(processes: readonly { name: string; pid: number; url: string | null }[]): string {
  const width = Math.max(...processes.map(({ name }) => name.length)) + 2;
  const rows = processes.map(({ name, pid, url }) => `  ${name.padEnd(width)}${String(pid).padEnd(9)}${url ?? ''}`);
  const gateway = processes.find(({ url }) => url !== null)?.url ?? '';
  const executor = processes.find(({ name }) => name.startsWith('executor'))?.pid ?? '';
  return `
  ${'process'.padEnd(width)}${'pid'.padEnd(9)}address
${rows.join('\n')}

  Sign up     curl -s ${gateway}/api/v1/auth/register -H 'content-type: application/json' \\
                -d '{"tenant_slug":"acme","tenant_name":"Acme","email":"you@example.com","password":"choose-a-long-one"}'
  Who works   curl -s ${gateway}/api/v1/system/workers -H "authorization: Bearer $TOKEN"
  A crash     kill -9 ${executor}
  The end     Ctrl-C
`;
}
