import type { Json } from '../../../lib/json';
import { CASE_MODEL, modelCalls, modelSays } from '../../nodes/ai/scripted-model';
import { knowledgeHit } from '../../support/knowledge';
import { play, type Result, type Scenario } from '../../support/runtime/crashes';
import type { World } from '../../support/runtime/world';

const look = (query: string) => modelCalls({ name: 'search_notes', input: { query } });
const TURNS = [look('a'), look('b'), modelSays('So it is [1], and [3].')];

/** A base whose answers depend on how often it was asked, as one that is written to, and a model. */
function prepare(world: World): void {
  const hit = (name: string) => knowledgeHit({ chunk_id: name, text: name });
  world.knowledge.bases.set('notes', { hits: [hit('a'), hit('b')] });
  const query = world.knowledge.query.bind(world.knowledge);
  world.knowledge.query = (question) => {
    if (question.query === 'b') world.knowledge.bases.set('notes', { hits: [hit('c'), hit('a')] });
    return query(question);
  };
  world.http = {
    request: async ({ body, url }) => {
      const { messages } = JSON.parse(String(body)) as { messages: { role: string }[] };
      const turn = TURNS[messages.filter(({ role }) => role === 'assistant').length];
      if (turn === undefined || turn instanceof Error) throw new Error('the script is at its end');
      return { status: turn.status, headers: turn.headers ?? {}, body: Buffer.from(turn.body ?? ''), url };
    },
  };
}

const add = (id: string, text: string): Json => ({ id, type: 'kb_add', config: { knowledge_base: 'notes', text } });
const SCENARIO: Scenario = {
  title: 'documents are added, and an agent cites',
  steps: [
    add('one', 'First'),
    { id: 'again', type: 'foreach', config: { items: [1, 2] }, steps: [add('each', 'Number {{ loop.item }}')] },
    {
      id: 'agent',
      type: 'agent',
      config: { ...CASE_MODEL, prompt: 'So?', tools: [{ type: 'knowledge_base', knowledge_base: 'notes' }] },
    },
  ],
  rest: { output: { id: '{{ steps.one.document_id }}', sources: '{{ steps.agent.citations }}' } },
  prepare,
};

const addedIn = ({ world }: Result) => world.knowledge.added.map(({ id, content }) => [id, content]);

describe('a run with a knowledge base whose host dies at any of its writes', () => {
  let baseline: Result;
  beforeAll(async () => {
    baseline = await play(SCENARIO, null);
  });

  it('ends without a crash', () => {
    expect(baseline.execution.status).toBe('completed');
    expect(addedIn(baseline)).toHaveLength(3);
    expect(JSON.stringify(baseline.execution.output)).toMatch(
      /"ref":1.*"chunk_id":"a".*"cited":true.*"ref":3.*"chunk_id":"c"/,
    );
  });

  it.each(['before', 'after'] as const)(
    'has added each document once, and cites by the same marks: %s it',
    async (when) => {
      for (let write = 1; write <= baseline.writes; write++) {
        const crashed = await play(SCENARIO, { write, when });
        const { status, output } = crashed.execution;
        expect([write, status, output]).toEqual([write, 'completed', baseline.execution.output]);
        expect(addedIn(crashed)).toEqual(addedIn(baseline));
      }
    },
  );
});
