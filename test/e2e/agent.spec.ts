import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../lib/json';
import { type LlmReply, type LlmServer, startLlmServer } from '../support/llm-server';
import { Api, buildOnce, freePort, type ServerProcess, startServer } from '../support/server';
import { until } from '../support/until';

const TURNS = 9;
/** The turn, from 1, during which the process dies. */
const FATAL = 7;

let models: LlmServer;
let shop: Server;
/** Idempotency keys of the orders that the agent has placed. */
const orders: string[] = [];
let hang = true;

beforeAll(async () => {
  buildOnce();
  shop = createServer((request, response) => {
    orders.push(String(request.headers['idempotency-key']));
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"placed":true}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => shop.once('listening', resolve));
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/orders`;
  models = await startLlmServer(({ answersBefore }): LlmReply => {
    if (answersBefore === FATAL - 1 && hang) return { kind: 'hang' };
    return answersBefore < TURNS - 1
      ? { kind: 'tools', calls: [{ name: 'order', input: { url, json: { n: answersBefore + 1 } } }] }
      : { kind: 'text', text: 'All is ordered.' };
  });
}, 120_000);

afterAll(async () => {
  await models?.close();
  shop?.closeAllConnections();
  shop?.close();
});

beforeEach(() => {
  (models.seen as unknown[]).length = 0;
  orders.length = 0;
  hang = true;
});

/** Runs an agent in a process that ends in this way in the fatal turn, and then in another process. */
async function play(dataDir: string, end: (server: ServerProcess) => Promise<unknown>): Promise<JsonObject> {
  const port = await freePort();
  const env = {
    EGRESS_ALLOW: '127.0.0.1',
    SHUTDOWN_GRACE_SECONDS: '1',
    LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai,
    LLM_OPENAI_COMPATIBLE_MODEL: 'm',
  };
  let server = await startServer({ dataDir, port, env });
  try {
    const api = new Api(server.url);
    await api.register('agents');
    const config = {
      prompt: 'Order eight things',
      max_turns: TURNS,
      tools: [{ type: 'http_request', name: 'order', config: { method: 'POST' } }],
    };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', {
      name: 'agent',
      dsl: { id: 'agent', trigger: { type: 'manual' }, steps: [{ id: 'buy', type: 'agent', config }] },
    });
    const { id: run } = await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {});
    await until('the model is asked in the fatal turn', () => models.seen.length === FATAL, 30_000);
    await end(server);
    hang = false;
    server = await startServer({ dataDir, port, env });
    const look = () => api.call<JsonObject>('GET', `/api/v1/executions/${run}`);
    return await until('the run has ended', async () => ((await look()).status === 'running' ? null : look()), 60_000);
  } finally {
    await server.kill();
  }
}

it.each<[string, (server: ServerProcess) => Promise<unknown>]>([
  ['is killed', (server) => server.kill()],
  ['is stopped', (server) => server.stop()],
])(
  `an agent whose process %s in turn ${FATAL} goes on in turn ${FATAL}`,
  async (_title, end) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'everstep-agent-'));
    try {
      expect(await play(dataDir, end)).toMatchObject({
        status: 'completed',
        output: { text: 'All is ordered.', turns: TURNS, input_tokens: 100 * TURNS },
        tokens: 110 * TURNS,
      });
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
    const turns = models.seen.map(({ answersBefore }) => answersBefore + 1);
    // Each once, and a second time the one without an answer.
    expect(turns).toEqual([1, 2, 3, 4, 5, 6, 7, 7, 8, 9]);
    expect(orders).toHaveLength(TURNS - 1);
    expect(new Set(orders).size).toBe(TURNS - 1);
  },
  120_000,
);
