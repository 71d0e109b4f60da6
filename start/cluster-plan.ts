import { SERVICE_NAMES } from '../lib/config';

/** Number of processes per role, and the port of the first gateway; further gateways use the next ports. */
export interface ClusterSize {
  readonly executors: number;
  readonly gateways: number;
  readonly port: number;
}

/** Environment variables shared by all processes of a cluster. */
export type SharedEnv = Readonly<Record<string, string>>;

/** A planned process: its name, environment and URL. */
export interface PlannedProcess {
  readonly name: string;
  readonly url: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** All services except the host of executions. Any number of such processes serve the same API. */
export const GATEWAY_SERVICES = SERVICE_NAMES.filter((name) => name !== 'executor').join(',');

/** The processes of a cluster, in start order. Pure. */
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

/** Process names grouped in stop order: gateways, executors, the store, NATS. */
export function stopOrder(names: readonly string[]): string[][] {
  const stages = ['gateway', 'executor', 'store', 'nats'].map((role) => names.filter((name) => name.startsWith(role)));
  return stages.filter((stage) => stage.length > 0);
}

/** Configuration of a NATS server on this machine, with one login and a payload limit for whole documents. Pure. */
export const natsConfig = (
  port: number,
  user: string,
  password: string,
  monitorPort: number | null,
): string => `host: 127.0.0.1
port: ${port}
${monitorPort === null ? '' : `http: 127.0.0.1:${monitorPort}\n`}max_payload: 8MB
logtime: false
authorization { user: "${user}", password: "${password}" }
`;

/** The overview printed when all processes are up. `joinFile` holds the cluster's variables. Pure. */
export function clusterTable(
  processes: readonly { name: string; pid: number; url: string | null }[],
  joinFile: string,
): string {
  const width = Math.max(...processes.map(({ name }) => name.length)) + 2;
  const rows = processes.map(({ name, pid, url }) => `  ${name.padEnd(width)}${String(pid).padEnd(9)}${url ?? ''}`);
  const gateway = processes.find(({ url }) => url !== null)?.url ?? '';
  const executor = processes.find(({ name }) => name.startsWith('executor'))?.pid ?? '';
  return `
  ${'process'.padEnd(width)}${'pid'.padEnd(9)}address
${rows.join('\n')}

  Sign up     curl -s ${gateway}/api/v1/auth/register -H 'content-type: application/json' \\
                -d '{"tenant_slug":"acme","tenant_name":"Acme","email":"you@example.com","password":"choose-a-long-one"}'
  One more    set -a; . ${joinFile}; set +a; SERVICES=executor NODE_ID=executor-more npm start
  Who works   curl -s ${gateway}/api/v1/system/workers -H "authorization: Bearer $TOKEN"
  A crash     kill -9 ${executor}
  The end     Ctrl-C
`;
}
