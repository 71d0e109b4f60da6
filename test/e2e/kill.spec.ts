import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

/** Acceptance runs ask for 50; every test run plays a few. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);
const CLIENTS = 8;
const STEPS = ['one', 'two'];

interface Detail {
  execution: { id: string; status: string; error: unknown };
  steps: { step_id: string; status: string; attempt: number }[];
}

/** Counts requests by their Idempotency-Key: one key is one step of one run. */
class Witness {
  readonly requests = new Map<string, number>();
  readonly byRun = new Map<string, Map<string, Set<string>>>();
  #server!: Server;

  async open(): Promise<string> {
    this.#server = createServer((request, response) => {
      const key = String(request.headers['idempotency-key']);
      const [, run = '', step = ''] = (request.url ?? '').split('/');
      this.requests.set(key, (this.requests.get(key) ?? 0) + 1);
      const steps = this.byRun.get(run) ?? new Map<string, Set<string>>();
      steps.set(step, (steps.get(step) ?? new Set()).add(key));
      this.byRun.set(run, steps);
      setTimeout(() => response.end('{"ok":true}'), 5);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('a server that is killed under load', () => {
  let dataDir: string;
  let witness: Witness;
  let server: ServerProcess;

  beforeAll(async () => {
    buildOnce();
    dataDir = await mkdtemp(join(tmpdir(), 'everstep-kill-'));
    witness = new Witness();
  }, 60_000);

  afterAll(async () => {
    await server?.kill();
    witness.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it(
    `ends every accepted run and repeats no recorded step, ${ROUNDS} times over`,
    async () => {
      const outside = await witness.open();
      const port = await freePort();
      const env = { EGRESS_ALLOW: '127.0.0.1', RATE_LIMIT: 'off' };
      server = await startServer({ dataDir, port, env });
      const api = new Api(server.url);
      await api.register('kill');
      const post = (id: string) => ({
        id,
        type: 'http_request',
        config: { method: 'POST', url: `${outside}/{{ execution.id }}/${id}` },
      });
      const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', {
        name: 'kill',
        dsl: {
          id: 'kill',
          trigger: { type: 'http' },
          steps: [
            { id: 'begin', type: 'set', config: { n: '{{ trigger.body.n }}' } },
            post('one'),
            { id: 'middle', type: 'set', config: { n: '{{ steps.begin.n + 1 }}' } },
            { id: 'pause', type: 'wait', config: { for: '300ms' } },
            post('two'),
          ],
          output: { n: '{{ steps.middle.n }}' },
        },
      });
      const accepted = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round++) {
        let loading = true;
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          for (let n = 0; loading; n++) {
            const answer = await api
              .call<{ execution_id: string }>('POST', `/webhooks/${id}`, { n: client * 10_000 + n })
              .catch(() => null);
            if (answer !== null) accepted.set(answer.execution_id, client * 10_000 + n);
            else await new Promise((resolve) => setTimeout(resolve, 5));
          }
        });
        const before = accepted.size;
        await until('ten more starts are accepted', () => accepted.size >= before + 10, 30_000);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000));
        await server.kill();
        loading = false;
        await Promise.all(clients);
        server = await startServer({ dataDir, port, env });
      }
      expect(accepted.size).toBeGreaterThanOrEqual(ROUNDS * 10);
      const details = await allEnded(api, [...accepted.keys()]);
      for (const { execution, steps } of details) {
        expect({ id: execution.id, status: execution.status, error: execution.error }).toEqual({
          id: execution.id,
          status: 'completed',
          error: null,
        });
        for (const step of STEPS) {
          const keys = [...(witness.byRun.get(execution.id)?.get(step) ?? [])];
          expect(keys).toHaveLength(1);
          const attempt = steps.find((other) => other.step_id === step)?.attempt ?? 0;
          // A step on record at its first attempt was never in flight at a crash, so no host may have repeated it.
          expect(witness.requests.get(keys[0] as string)).toBeLessThanOrEqual(attempt);
        }
      }
    },
    ROUNDS * 20_000 + 60_000,
  );
});

async function allEnded(api: Api, ids: string[]): Promise<Detail[]> {
  const details: Detail[] = [];
  for (const id of ids) {
    const deadline = Date.now() + 30_000;
    for (;;) {
      const detail = await api.call<Detail>('GET', `/api/v1/executions/${id}/detail`);
      if (detail.execution.status !== 'running') {
        details.push(detail);
        break;
      }
      if (Date.now() > deadline) throw new Error(`Execution ${id} is stuck: ${JSON.stringify(detail)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return details;
}
