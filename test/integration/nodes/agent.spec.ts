import { createEgress, EgressError, parseEgressAllow } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import { nodes } from '../../../nodes';
import { agentNode } from '../../../nodes/ai/agent';
import type { NodeContext, NodeType, Outcome } from '../../../nodes/contract';
import { byTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { BARE_CAPABILITIES, createContext } from '../../unit/nodes/context';
import { Notes } from '../../unit/nodes/notes';
import { startServer, type TestServer } from './server';

let models: LlmServer;
let world: TestServer;
let script: LlmScript;
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n));
  world = await startServer((request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ path: request.url })),
  );
});
afterAll(() => Promise.all([models.close(), world.close(), egress.close()]));
beforeEach(() => {
  (models.seen as unknown[]).length = 0;
  world.seen.length = 0;
});

/** A step type of a test, which counts what it does. */
const counting = (type: string, more: Partial<NodeType> = {}): NodeType & { ran: JsonObject[] } => {
  const ran: JsonObject[] = [];
  return {
    type,
    version: 1,
    title: type,
    description: `Does ${type}.`,
    category: 'Custom',
    effect: 'write',
    onInterrupted: 'ask',
    input: {
      type: 'object',
      properties: { amount: { type: 'integer', minimum: 1 }, key: { type: 'string' } },
      required: ['amount', 'key'],
      additionalProperties: false,
    },
    output: { type: 'object' },
    ran,
    run: (ctx) => {
      ran.push({ ...ctx.input, idempotency_key: ctx.idempotencyKey });
      return { kind: 'done', output: { paid: ctx.input.amount ?? null } };
    },
    ...more,
  };
};

/** One attempt of an agent; attempts that share `notes` are of one step. */
async function attempt(
  input: JsonObject,
  { notes = new Notes(), types = [], ...overrides }: { notes?: Notes; types?: NodeType[] } & Partial<NodeContext> = {},
): Promise<Outcome> {
  const own = new Map(types.map((type) => [type.type, type]));
  const ctx = createContext(
    { provider: 'openai-compatible', model: 'm', base_url: models.baseUrl.openai, prompt: 'Go', ...input },
    [],
    {
      http: egress,
      once: notes.once,
      checkpoint: notes.noted,
      nodeType: async (type) => own.get(type) ?? nodes.types.get(nodes.aliases.get(type) ?? type),
      ...overrides,
    },
  );
  return agentNode.run(ctx);
}

const calls = (...requested: { name: string; input: JsonObject | string }[]): LlmReply => ({
  kind: 'tools',
  calls: requested,
});
const says = (text: string): LlmReply => ({ kind: 'text', text });
const pay = { name: 'pay', input: { amount: 5 } };
/** A step type with a key that the model must not see. */
const paying = { type: 'pay', config: { key: 'k-123' } };
const requestOf = (n: number): JsonObject => models.seen[n]?.body ?? {};
/** The results of its last use of tools that the model got in its request `n`. */
const resultsIn = (n: number): string[] =>
  (requestOf(n).messages as JsonObject[]).filter(({ role }) => role === 'tool').map(({ content }) => String(content));
const outputOf = (outcome: Outcome): JsonObject => {
  if (outcome.kind !== 'done') throw new Error(`not done: ${JSON.stringify(outcome)}`);
  return outcome.output;
};

describe('a step type as a tool', () => {
  test('is used with what the model gives and what the author has fixed, and the answer goes on from its output', async () => {
    script = byTurn(
      calls({ name: 'http_request', input: { url: `${world.url}/orders?id=7` } }),
      says('Order 7 is there.'),
    );
    const tools = [{ type: 'http', config: { method: 'GET' }, description: 'Reads.' }];
    const output = outputOf(await attempt({ tools }));
    expect(output).toMatchObject({ text: 'Order 7 is there.', turns: 2, input_tokens: 200, output_tokens: 20 });
    expect(output.tool_calls).toEqual([
      {
        name: 'http_request',
        input: { url: `${world.url}/orders?id=7` },
        output: expect.objectContaining({ status: 200, body: { path: '/orders?id=7' } }),
      },
    ]);
    expect(world.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /orders?id=7']);
    expect(resultsIn(1)[0]).toContain('/orders?id=7');
  });

  test('has its own idempotency key at each use', async () => {
    const type = counting('pay');
    script = byTurn(calls(pay, pay), says('done'));
    await attempt({ tools: [paying] }, { types: [type] });
    const keys = type.ran.map(({ idempotency_key: key }) => key);
    expect(new Set(keys).size).toBe(2);
  });

  test('is described without what is fixed, and cannot be made to change it', async () => {
    const type = counting('pay');
    script = byTurn(calls({ name: 'pay', input: { amount: 5, key: 'mine' } }), says('done'));
    await attempt({ tools: [paying] }, { types: [type] });
    const [tool] = requestOf(0).tools as { function: JsonObject }[];
    expect(tool?.function).toMatchObject({
      name: 'pay',
      parameters: { properties: { amount: { type: 'integer' } }, required: ['amount'] },
    });
    expect(JSON.stringify(models.seen)).not.toContain('k-123');
    expect(type.ran).toMatchObject([{ amount: 5, key: 'k-123' }]);
  });

  test.each<[string, JsonObject | string, string]>([
    ['does not fit', { amount: 0 }, 'amount'],
    ['is incomplete', {}, 'amount'],
    ['has more than there is', { amount: 1, currency: 'EUR' }, 'currency'],
    ['is no JSON', '{"amount":', 'not a JSON object'],
    ['is no object', '[1]', 'not a JSON object'],
  ])('is not used with an input that %s: the model gets an error', async (_title, input, word) => {
    const type = counting('pay');
    script = byTurn(calls({ name: 'pay', input }), calls(pay), says('done'));
    const output = outputOf(await attempt({ tools: [paying] }, { types: [type] }));
    expect(resultsIn(1)[0]).toContain(word);
    expect(type.ran).toHaveLength(1);
    expect(output.tool_calls).toMatchObject([{ error: { code: 'invalid_input' } }, { output: { paid: 5 } }]);
  });

  test('that fails is no end: the model gets the error, without secrets', async () => {
    const type = counting('pay', {
      run: () => ({ kind: 'fail', error: { code: 'no_funds', message: 'not enough' }, retryable: true }),
    });
    script = byTurn(calls(pay), says('It cannot be paid.'));
    const output = outputOf(await attempt({ tools: [paying] }, { types: [type] }));
    expect(output.tool_calls).toMatchObject([{ error: { code: 'no_funds' } }]);
    expect(resultsIn(1)[0]).toContain('not enough (trying again later may help)');
  });

  test('that has much to say is cut', async () => {
    const type = counting('pay', { run: () => ({ kind: 'done', output: { text: 'x'.repeat(200_000) } }) });
    script = byTurn(calls(pay), says('long'));
    const notes = new Notes();
    await attempt({ tools: [paying] }, { types: [type], notes });
    expect(JSON.stringify(requestOf(1)).length).toBeLessThan(60_000);
    expect(JSON.stringify(notes.noted('turn-1/call-1')).length).toBeLessThan(60_000);
    expect(resultsIn(1)[0]).toContain('"truncated":true');
  });

  test('may be an agent of its own no more than the end of a run', async () => {
    for (const type of ['agent', 'stop', 'fail', 'webhook_response']) {
      expect(await attempt({ tools: [{ type }] })).toMatchObject({
        kind: 'fail',
        error: { code: 'invalid_config', message: expect.stringContaining(`${type} cannot be a tool`) },
      });
    }
  });

  test('more than twenty uses in one answer are refused', async () => {
    const type = counting('pay');
    script = byTurn(calls(...Array.from({ length: 22 }, () => pay)), says('done'));
    const output = outputOf(await attempt({ tools: [paying] }, { types: [type] }));
    expect(type.ran).toHaveLength(20);
    expect((output.tool_calls as JsonObject[]).slice(20)).toMatchObject([
      { error: { code: 'too_many_calls' } },
      { error: { code: 'too_many_calls' } },
    ]);
  });
});

describe('what is on record', () => {
  test('is not asked for again: a later attempt goes on at its own turn', async () => {
    const type = counting('pay');
    const notes = new Notes();
    const turns = Array.from({ length: 6 }, () => calls(pay));
    let down = true;
    script = (seen, n) =>
      seen.answersBefore === 6 && down ? { kind: 'status', status: 503 } : byTurn(...turns, says('done'))(seen, n);
    const first = await attempt({ tools: [paying] }, { types: [type], notes });
    expect(first).toMatchObject({ kind: 'fail', retryable: true, error: { code: 'llm_unavailable' } });
    down = false;
    const output = outputOf(await attempt({ tools: [paying] }, { types: [type], notes }));
    expect(output).toMatchObject({ turns: 7, input_tokens: 700 });
    expect(models.seen.map(({ answersBefore }) => answersBefore)).toEqual([0, 1, 2, 3, 4, 5, 6, 6]);
    expect(type.ran).toHaveLength(6);
    // What was used is counted where it is recorded: once.
    expect(notes.used).toHaveLength(7);
  });

  test('a use that was cut off is not repeated where that could do harm: the model gets an unknown outcome', async () => {
    const type = counting('pay');
    const notes = new Notes();
    notes.begin('turn-1/call-1');
    script = byTurn(calls(pay), says('I will look.'));
    const output = outputOf(await attempt({ tools: [paying] }, { types: [type], notes }));
    expect(type.ran).toEqual([]);
    expect(output.tool_calls).toMatchObject([{ error: { code: 'interrupted' } }]);
  });

  test('a use that was cut off is repeated where it may be', async () => {
    const type = counting('pay', { onInterrupted: 'retry' });
    const notes = new Notes();
    notes.begin('turn-1/call-1');
    script = byTurn(calls(pay), says('done'));
    await attempt({ tools: [paying] }, { types: [type], notes });
    expect(type.ran).toHaveLength(1);
  });

  test('a refusal stays one, also when the tool would take the input by now', async () => {
    const notes = new Notes();
    script = byTurn(
      calls({ name: 'pay', input: { amount: 0 } }),
      calls({ name: 'wait', input: { for: '1h' } }),
      says('done'),
    );
    const strict = counting('pay');
    const tools = [paying, { type: 'wait' }];
    expect(await attempt({ tools }, { types: [strict], notes })).toMatchObject({ kind: 'wait', note: 'turn-2/call-1' });
    notes.note('turn-2/call-1', { ok: true, output: {} });
    const lax = counting('pay', { input: { type: 'object' } });
    const output = outputOf(await attempt({ tools }, { types: [lax], notes }));
    expect(lax.ran).toEqual([]);
    expect(output.tool_calls).toMatchObject([{ error: { code: 'invalid_input' } }, { name: 'wait', output: {} }]);
  });

  test('what a tool says while the step is being stopped is not the truth about it', async () => {
    const stop = new AbortController();
    const type = counting('pay', {
      onInterrupted: 'retry',
      run: () => {
        stop.abort();
        return { kind: 'fail', error: { code: 'http_aborted', message: 'aborted' }, retryable: false };
      },
    });
    const notes = new Notes();
    script = byTurn(calls(pay), says('done'));
    const outcome = await attempt({ tools: [paying] }, { types: [type], notes, signal: stop.signal });
    expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'aborted' } });
    expect(notes.noted('turn-1/call-1')).toBeUndefined();
  });
});

describe('waiting', () => {
  test('a workflow is a tool: it runs, and the model gets its output', async () => {
    const notes = new Notes();
    const tools = [
      {
        type: 'workflow',
        workflow: 'refunds',
        name: 'refund',
        description: 'Pays back.',
        input_schema: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
      },
    ];
    script = byTurn(
      calls({ name: 'refund', input: { order: 'x' } }),
      calls({ name: 'refund', input: { order: 7 } }),
      says('Paid.'),
    );
    expect(await attempt({ tools }, { notes })).toEqual({
      kind: 'start_child',
      workflow: 'refunds',
      input: { order: 7 },
      wait: true,
      note: 'turn-2/call-1',
    });
    notes.note('turn-2/call-1', { ok: true, output: { execution_id: 'e', status: 'completed', output: { paid: 9 } } });
    const output = outputOf(await attempt({ tools }, { notes }));
    expect(output).toMatchObject({ text: 'Paid.', tool_calls: [{ error: {} }, { output: { paid: 9 } }] });
    expect(resultsIn(2)[1]).toBe('{"paid":9}');
  });

  test('a workflow that failed is reported', async () => {
    const notes = new Notes();
    const tools = [{ type: 'workflow', workflow: 'refunds', name: 'refund' }];
    script = byTurn(calls({ name: 'refund', input: {} }), says('It failed.'));
    await attempt({ tools }, { notes });
    notes.note('turn-1/call-1', {
      ok: false,
      error: { code: 'child_failed', message: 'Execution e failed: no funds' },
    });
    const output = outputOf(await attempt({ tools }, { notes }));
    expect(output.tool_calls).toMatchObject([{ error: { code: 'child_failed' } }]);
    expect(resultsIn(1)[0]).toContain('no funds');
  });

  const approved = {
    approved: true,
    comment: null,
    decided_by: 'ada',
    decided_at: '2030-01-01T00:00:00.000Z',
    form: null,
  };

  test('a yes lets the tool be used, with what was asked about', async () => {
    const type = counting('pay');
    const notes = new Notes();
    const tools = [{ ...paying, approval: { message: 'Pay?', approvers: ['ada'], timeout: '1h', on_timeout: 'fail' } }];
    script = byTurn(calls(pay), says('Paid.'));
    const asked = await attempt({ tools }, { types: [type], notes });
    expect(asked).toMatchObject({
      kind: 'wait',
      note: 'turn-1/call-1/approval',
      wait: { kind: 'approval', message: 'Pay?', approvers: ['ada'], onTimeout: { kind: 'fail' } },
    });
    expect(type.ran).toEqual([]);
    notes.note('turn-1/call-1/approval', { ok: true, output: approved });
    outputOf(await attempt({ tools }, { types: [type], notes }));
    expect(type.ran).toHaveLength(1);
    expect(models.seen).toHaveLength(2);
  });

  test('the question shows what the model wants, and nothing that is fixed', async () => {
    const type = counting('pay');
    script = byTurn(calls(pay));
    const asked = await attempt({ tools: [{ ...paying, approval: true }] }, { types: [type] });
    expect(asked).toMatchObject({ wait: { message: 'May the agent use pay with {"amount":5}?', until: null } });
  });

  test('a rejection is sent to the model, with the comment of the person', async () => {
    const type = counting('pay');
    const notes = new Notes();
    const tools = [{ ...paying, approval: true }];
    script = byTurn(calls(pay), says('Then not.'));
    await attempt({ tools }, { types: [type], notes });
    notes.note('turn-1/call-1/approval', { ok: true, output: { ...approved, approved: false, comment: 'too much' } });
    const output = outputOf(await attempt({ tools }, { types: [type], notes }));
    expect(type.ran).toEqual([]);
    expect(output.tool_calls).toMatchObject([
      { error: { code: 'rejected', message: 'a person has rejected it: too much' } },
    ]);
  });

  test('silence fails the step where the author wants that', async () => {
    const notes = new Notes();
    const tools = [{ ...paying, approval: { timeout: '1h', on_timeout: 'fail' } }];
    script = byTurn(calls(pay));
    await attempt({ tools }, { types: [counting('pay')], notes });
    notes.note('turn-1/call-1/approval', {
      ok: false,
      error: { code: 'timed_out', message: 'no decision was made in time' },
    });
    expect(await attempt({ tools }, { types: [counting('pay')], notes })).toMatchObject({
      kind: 'fail',
      error: { code: 'timed_out' },
    });
  });
});

describe('limits', () => {
  const priced = {
    capabilities: {
      ...BARE_CAPABILITIES,
      models: {
        ...BARE_CAPABILITIES.models,
        prices: [{ provider: 'openai-compatible', models: ['m'], since: '2020-01-01', input: 10_000, output: 0 }],
      },
    },
  };

  test('cost is reported, and counted over all turns', async () => {
    script = byTurn(calls(pay), says('done'));
    const output = outputOf(await attempt({ tools: [paying] }, { types: [counting('pay')], ...priced }));
    expect(output.cost_usd).toBe(2);
  });

  test('cost ends an agent', async () => {
    script = byTurn(calls(pay), calls(pay), says('done'));
    const outcome = await attempt({ tools: [paying], max_cost_usd: 1.5 }, { types: [counting('pay')], ...priced });
    expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'limit_cost' }, retryable: false });
    expect(models.seen).toHaveLength(2);
  });
});

test('a repair is a turn like any other: the model may use tools once more', async () => {
  const type = counting('pay');
  script = byTurn(says('no json'), calls(pay), says('{"paid":5}'));
  const output_schema = { type: 'object', properties: { paid: { type: 'integer' } }, required: ['paid'] };
  const output = outputOf(await attempt({ tools: [paying], output_schema }, { types: [type] }));
  expect(output).toMatchObject({ data: { paid: 5 }, turns: 3 });
  expect(JSON.stringify(requestOf(0))).toContain('answer with JSON alone');
});

test('a fault of the egress within a tool is reported to the model', async () => {
  script = byTurn(calls({ name: 'http_request', input: { url: 'http://blocked.example/' } }), says('done'));
  const http: NodeContext['http'] = {
    request: (request) =>
      request.url.includes('blocked.example')
        ? Promise.reject(new EgressError('blocked', 'blocked.example:80 is not a public address (private)'))
        : egress.request(request),
  };
  const output = outputOf(await attempt({ tools: [{ type: 'http_request' }] }, { http }));
  expect(output.tool_calls).toMatchObject([{ error: { code: 'http_blocked' } }]);
});
