import type { CredentialsResult } from '../../../contracts/connections';
import { connectionsService } from '../../../services/connections/connections.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../app';
import { LeapingClock } from '../leaping-clock';

/** Several hosts of one cluster, with one database and one clock, that keep connections. */
export interface ConnectionNodes {
  readonly nodes: readonly [TestApp, TestApp, ...TestApp[]];
  readonly clock: LeapingClock;
  readonly database: TestDatabase;
  close(): Promise<void>;
}

export async function startNodes(count: number, env: Readonly<Record<string, string>>): Promise<ConnectionNodes> {
  const database = await openTestDatabase();
  const clock = new LeapingClock();
  const namespace = database.name;
  const start = () =>
    startApp({ services: [connectionsService], database, clock, env, transporter: 'Fake', namespace });
  const nodes: TestApp[] = [];
  for (let number = 0; number < count; number += 1) nodes.push(await start());
  return {
    nodes: nodes as [TestApp, TestApp, ...TestApp[]],
    clock,
    database,
    async close() {
      for (const node of nodes) await node.close();
      await database.close();
    },
  };
}

/** The connection that a step on that node gets. */
export const askedOn = (
  node: TestApp,
  tenant_id: string,
  ref: string,
  { connectors = ['suite'], refused }: { connectors?: string[]; refused?: string } = {},
): Promise<CredentialsResult> =>
  node.call(
    'connections.credentials',
    { ref, connectors, ...(refused === undefined ? {} : { refused }) },
    { tenant_id, role: 'service' },
  );

/** The access token; else the reason why there is none. */
export const tokenIn = (found: CredentialsResult): string =>
  found.kind === 'ready' ? String(found.connection.credentials.access_token) : found.error.code;
