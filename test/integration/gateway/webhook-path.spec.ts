import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomId } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import { startApp, openTestDatabase, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { type Path, PathRecorder } from '../../support/webhook-path';
import { asking, executor, frontServices } from '../custom-nodes/house';
import { registerTenant } from '../../support/accounts';

const MARKERS = { body: 'the-body-of-this-request', recorded: 'what-a-step-records' };
const recorder = new PathRecorder();

const count = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.split(MARKERS.body).length - 1, 0);

type Mode = '' | '/sync';

let front: TestApp;
let workflow: string;

async function prepare(): Promise<void> {
  const ask = asking(front.url, (await registerTenant(front)).token);
  const note = { length: '{{ length(trigger.body.text) }}', mark: MARKERS.recorded };
  const dsl: JsonObject = {
    id: 'flow',
    trigger: { type: 'http' },
    steps: [
      { id: 'note', type: 'set', config: note },
      // Longer than entries wait for their record.
      { id: 'pause', type: 'wait', if: '{{ trigger.query.slow }}', config: { for: '150ms' } },
    ],
  };
  workflow = String((await ask('POST', '/api/v1/workflows', { name: 'Flow', dsl })).body.id);
  // The first ones read the workflow, its plan and the limits of the tenant.
  for (let n = 0; n < 3; n++) await send('', 'before');
}

/** The id of the run, where it is answered. */
async function send(mode: Mode, text: string, query = ''): Promise<string> {
  const response = await fetch(`${front.url}/webhooks/${workflow}${mode}${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"text":"${text}"}`,
  });
  expect(response.status).toBe(mode === '' ? 202 : 200);
  return String(((await response.json()) as JsonObject).execution_id);
}

/** The path of a request beside which the process does nothing of its own. */
const pathOf = (mode: Mode): Promise<Path> =>
  until('a request meets nothing else', async () => {
    await send('', 'before');
    const path = await recorder.record(MARKERS, async () => void (await send(mode, MARKERS.body)));
    return path.actions.length <= 2 ? path : null;
  });

describe('in one process', () => {
  beforeAll(async () => {
    front = await startApp({ services: [...frontServices, executor], middlewares: recorder.middlewares });
    await prepare();
  }, 60_000);
  afterAll(() => front?.close());

  test.each(['', '/sync'] as const)('a webhook%s makes two calls, the one of moleculer-web included', async (mode) => {
    expect((await pathOf(mode)).actions).toEqual(['api-gateway.rest', 'executor.start']);
  });

  test('the body is parsed once, and written once', async () => {
    const { parsed, written } = await pathOf('');
    expect([parsed.length, written.length, count(written)]).toEqual([1, 1, 1]);
  });

  test('at most thirty functions of ours are at work or wait between the socket and the journal', async () => {
    const ended = (id: string) =>
      until('the run has ended', async () => {
        const run = await front.app.db.collection<{ _id: string; status: string }>('executions').findOne({ _id: id });
        return run?.status === 'completed';
      });
    const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'architecture.md'), 'utf8');
    const listed = new Set([...page.matchAll(/^- `([^`]+\.ts: [^`]+)`$/gm)].map(([, each]) => each));
    expect(listed.size).toBeLessThanOrEqual(30);
    let path: Path;
    let others: string[];
    // A slot that is not at hand, for one, takes another way.
    for (let tries = 5; ; tries--) {
      path = await recorder.record(MARKERS, async () => {
        await ended(await send('', MARKERS.body, '?slow=1'));
      });
      others = [...path.functions].filter((each) => !listed.has(each));
      if (others.length === 0 || tries === 0) break;
    }
    expect(others).toEqual([]);
    expect(path.functions.size).toBeGreaterThan(listed.size / 2);
  });
});

describe('with executors in processes of their own', () => {
  let database: TestDatabase;
  let host: TestApp;

  beforeAll(async () => {
    database = await openTestDatabase();
    const common = { database, namespace: randomId(), transporter: 'Fake', middlewares: recorder.middlewares };
    front = await startApp({ ...common, nodeId: 'front', services: frontServices });
    host = await startApp({ ...common, nodeId: 'host', services: [executor] });
    await until(
      'they know each other',
      () => front.broker.registry.getActionEndpoints('executor.start')?.count() === 1,
    );
    await prepare();
  }, 60_000);
  afterAll(async () => {
    await host?.close();
    await front?.close();
    await database?.close();
  });

  test.each(['', '/sync'] as const)('a webhook%s makes two calls, and one crosses the bus', async (mode) => {
    const { actions, packets } = await pathOf(mode);
    expect(actions).toEqual(['api-gateway.rest', 'executor.start']);
    expect(packets.map(({ type }) => type)).toEqual(['REQ', 'RES']);
  });

  test('the body crosses the bus once', async () => {
    const { packets, parsed, written } = await pathOf('/sync');
    expect(packets.map(({ text }) => count([text]))).toEqual([1, 0]);
    // Parsed and written by the sender and by the receiver of the message, and by the gateway and the store.
    expect([parsed.length, written.length, count(written)]).toEqual([2, 2, 2]);
  });
});
