import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditEventView, AuditVerdict } from '../../contracts/audit';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

/** Acceptance runs ask for more; every test run plays a few. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const CLIENTS = 6;
const PAGE = 200;

describe('a server that is killed while people change things', () => {
  let dataDir: string;
  let server: ServerProcess | undefined;

  beforeAll(async () => {
    buildOnce();
    dataDir = await mkdtemp(join(tmpdir(), 'everstep-audit-'));
  }, 60_000);

  afterAll(async () => {
    await server?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  it(
    `has done nothing that is not on record, and its log is whole, ${ROUNDS} times over`,
    async () => {
      const port = await freePort();
      const env = { RATE_LIMIT: 'off' };
      server = await startServer({ dataDir, port, env });
      const api = new Api(server.url);
      await api.register('log');
      const answered = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        let loading = true;
        const before = answered.size;
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          for (let n = 0; loading; n += 1) {
            const name = `N${round}_${client}_${n}`;
            if (await changed(api, client, name)) answered.add(name);
            else await sleep(5);
          }
        });
        await until('a few changes are answered', () => answered.size >= before + 10, 30_000);
        // At any point between the record, the change and the answer to the client.
        await sleep(Math.random() * 300);
        await server.kill();
        loading = false;
        await Promise.all(clients);
        server = await startServer({ dataDir, port, env });
        await judge(api, answered);
      }
    },
    60_000 + ROUNDS * 30_000,
  );
});

const DSL = { id: 'd', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'log', config: { message: 'x' } }] };

/** Creates a resource of that name; false when it is unknown whether it was created. */
async function changed(api: Api, client: number, name: string): Promise<boolean> {
  const making =
    client % 3 === 0
      ? api.call('POST', '/api/v1/secrets', { name, value: 'a value' })
      : client % 3 === 1
        ? api.call('POST', '/api/v1/secrets', { name: `W${client}`, value: name }).then(() => false)
        : api.call('POST', '/api/v1/workflows', { name, dsl: DSL }).then(({ id }) =>
            // Under the limit of the plan, so that the load goes on.
            api.call('PUT', `/api/v1/workflows/${String(id)}/disable`),
          );
  return making.then(
    (result) => result !== false,
    () => false,
  );
}

async function judge(api: Api, answered: ReadonlySet<string>): Promise<void> {
  const verdict = await api.call<AuditVerdict>('GET', '/api/v1/audit/verify');
  expect(verdict).toMatchObject({ valid: true, complete: true });
  const made = new Set(
    (await allEvents(api)).filter(({ action }) => action.endsWith('.create')).map(({ target }) => target.name),
  );
  const there = [...(await names(api, 'secrets')), ...(await names(api, 'workflows'))];
  expect(there.filter((name) => !made.has(name))).toEqual([]);
  expect([...answered].filter((name) => !made.has(name))).toEqual([]);
  expect(there.length).toBeGreaterThanOrEqual(answered.size);
}

async function names(api: Api, what: 'secrets' | 'workflows'): Promise<string[]> {
  const found: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = `?limit=${PAGE}&offset=${offset}`;
    const { data } = await api.call<{ data: { name: string }[] }>('GET', `/api/v1/${what}${page}`);
    found.push(...data.map(({ name }) => name));
    if (data.length < PAGE) return found;
  }
}

async function allEvents(api: Api): Promise<AuditEventView[]> {
  const events: AuditEventView[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path = `/api/v1/audit?limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page: { data: AuditEventView[]; next_cursor: string | null } = await api.call('GET', path);
    events.push(...page.data);
    cursor = page.next_cursor;
  }
  return events;
}
