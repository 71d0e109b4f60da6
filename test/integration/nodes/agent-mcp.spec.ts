import { createEgress, parseEgressAllow } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import { agentNode } from '../../../nodes/ai/agent';
import type { NodeContext, Outcome } from '../../../nodes/contract';
import { byTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { type McpEra, startMcpServer, type TestMcpServer } from '../../support/mcp-server';
import { createContext } from '../../unit/nodes/context';
import { Notes } from '../../unit/nodes/notes';

const ERAS: McpEra[] = ['modern', 'legacy', 'session'];
const KEY = 'key-of-the-tools';

let models: LlmServer;
let script: LlmScript;
const servers = new Map<McpEra, TestMcpServer>();
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n));
  for (const era of ERAS) servers.set(era, await startMcpServer(era, { key: KEY }));
});
afterAll(() => Promise.all([models.close(), egress.close(), ...[...servers.values()].map((server) => server.close())]));
beforeEach(() => {
  (models.seen as unknown[]).length = 0;
});

const serverOf = (era: McpEra): TestMcpServer => servers.get(era) as TestMcpServer;

async function attempt(tool: JsonObject, notes = new Notes(), overrides: Partial<NodeContext> = {}): Promise<Outcome> {
  const ctx = createContext(
    {
      provider: 'openai-compatible',
      model: 'm',
      base_url: models.baseUrl.openai,
      prompt: 'Go',
      tools: [{ type: 'mcp', headers: { authorization: `Bearer ${KEY}` }, ...tool }],
    },
    [],
    { http: egress, once: notes.once, checkpoint: notes.noted, ...overrides },
  );
  return agentNode.run(ctx);
}

const calls = (name: string, input: JsonObject = {}): LlmReply => ({ kind: 'tools', calls: [{ name, input }] });
const done: LlmReply = { kind: 'text', text: 'done' };
const toolsOffered = (): { function: JsonObject }[] => {
  const [first] = models.seen;
  return (first?.body.tools ?? []) as { function: JsonObject }[];
};
const usesIn = (outcome: Outcome): unknown => (outcome.kind === 'done' ? outcome.output.tool_calls : outcome);

describe.each(ERAS)('a server of tools, %s', (era) => {
  test('its tools are offered to the model, and used', async () => {
    script = byTurn(calls('add', { a: 2, b: 3 }), done);
    const uses = usesIn(await attempt({ url: serverOf(era).url }));
    expect(uses).toEqual([{ name: 'add', input: { a: 2, b: 3 }, output: { sum: 5 } }]);
    const offered = toolsOffered().map((tool) => tool.function);
    expect(offered.map(({ name }) => name)).toEqual(['add', 'mixed_content', 'fail']);
    expect(offered[0]).toMatchObject({ description: 'Adds.', parameters: { required: ['a', 'b'] } });
  });

  test('it is left when the work is done', async () => {
    script = byTurn(calls('add', { a: 2, b: 3 }), done);
    await attempt({ url: serverOf(era).url });
    expect(serverOf(era).sessions()).toBe(0);
  });

  test('the list is on record: a later attempt asks for it no more', async () => {
    const notes = new Notes();
    script = () => ({ kind: 'status', status: 503 });
    await attempt({ url: serverOf(era).url }, notes);
    serverOf(era).seen.length = 0;
    script = byTurn(done);
    expect(usesIn(await attempt({ url: serverOf(era).url }, notes))).toEqual([]);
    expect(serverOf(era).seen).toEqual([]);
  });

  test('a wrong key fails the step for good', async () => {
    const outcome = await attempt({ url: serverOf(era).url, headers: { authorization: 'Bearer wrong' } });
    expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'mcp_unavailable' }, retryable: false });
  });
});

const url = (): string => serverOf('modern').url;

test('texts are put together, and what is no text is named', async () => {
  script = byTurn(calls('mixed_content'), done);
  expect(usesIn(await attempt({ url: url() }))).toMatchObject([{ output: { text: 'one\n[image: image/png]\ntwo' } }]);
});

test('a tool that fails is reported to the model', async () => {
  script = byTurn(calls('fail'), done);
  expect(usesIn(await attempt({ url: url() }))).toMatchObject([
    { error: { code: 'tool_error', message: 'out of paper' } },
  ]);
});

test('an input that does not fit is not sent', async () => {
  script = byTurn(calls('add', { a: 'two' }), done);
  const before = serverOf('modern').seen.filter((line) => line.includes('tools/call')).length;
  expect(usesIn(await attempt({ url: url() }))).toMatchObject([{ error: { code: 'invalid_input' } }]);
  expect(serverOf('modern').seen.filter((line) => line.includes('tools/call'))).toHaveLength(before);
});

test('only allowed tools are offered, under the prefix that the author gives', async () => {
  script = byTurn(calls('math_add', { a: 1, b: 1 }), done);
  expect(usesIn(await attempt({ url: url(), allow: ['add'], name: 'math' }))).toMatchObject([{ output: { sum: 2 } }]);
  expect(toolsOffered()).toHaveLength(1);
});

test('a tool that is allowed and is not there fails the step', async () => {
  expect(await attempt({ url: url(), allow: ['subtract'] })).toMatchObject({
    kind: 'fail',
    error: { code: 'mcp_tools', message: expect.stringContaining('no tool subtract') },
    retryable: false,
  });
});

test.each([
  ['add', { a: 1, b: 1 }, { output: { sum: 2 } }],
  ['fail', {}, { error: { code: 'interrupted' } }],
])('a use of %s that was cut off is repeated only when the server says that it may be', async (name, input, use) => {
  const notes = new Notes();
  notes.begin('turn-1/call-1');
  script = byTurn(calls(name, input as JsonObject), done);
  expect(usesIn(await attempt({ url: url() }, notes))).toMatchObject([use]);
});

test('a server that stands where steps cannot reach is refused', async () => {
  const shut = createEgress({ allow: [] });
  const outcome = await attempt({ url: url() }, new Notes(), { http: shut });
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'mcp_unavailable' }, retryable: false });
  await shut.close();
});

test('a server that went away in the middle is reported to the model', async () => {
  const notes = new Notes();
  const short = await startMcpServer('modern');
  script = (seen, n) => {
    if (seen.answersBefore > 0) return done;
    void short.close();
    return byTurn(calls('add', { a: 1, b: 1 }))(seen, n);
  };
  expect(usesIn(await attempt({ url: short.url }, notes))).toMatchObject([{ error: { code: 'mcp_error' } }]);
});
