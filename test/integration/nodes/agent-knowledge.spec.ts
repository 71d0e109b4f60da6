import { createEgress, parseEgressAllow } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import { agentNode } from '../../../nodes/ai/agent';
import { CITATION_RULE } from '../../../nodes/ai/agent/citations';
import type { Outcome } from '../../../nodes/contract';
import { FakeKnowledge, knowledgeHit } from '../../support/knowledge';
import { byTurn, type LlmReply, type LlmSeen, type LlmServer, startLlmServer } from '../../support/llm-server';
import { createContext } from '../../unit/nodes/context';
import { CutNotes } from '../../unit/nodes/cut-notes';
import { Notes } from '../../unit/nodes/notes';

const look = (query: string, name = 'search_shop'): LlmReply => ({
  kind: 'tools',
  calls: [{ name, input: { query } }],
});

let models: LlmServer;
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });
let script = byTurn(look('returns'), look('delivery', 'search_law'), look('returns'), {
  kind: 'text',
  text: 'Free [1], soon [3].',
});

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n));
});
afterAll(() => Promise.all([models.close(), egress.close()]));

/** Two bases, of which the law quotes the shop. */
const library = (more = ''): FakeKnowledge => {
  const knowledge = new FakeKnowledge();
  const hit = (name: string) => knowledgeHit({ chunk_id: name, document_name: name, text: `${name}${more}` });
  knowledge.bases.set('shop', { hits: [hit('free'), hit('paid')], usage: { input_tokens: 2 } });
  knowledge.bases.set('law', { hits: [hit('duty'), hit('free')], warnings: ['by words alone'] });
  return knowledge;
};

/** One attempt; those that share `notes` are of one step. */
async function attempt(notes: Notes, knowledge: FakeKnowledge, more: JsonObject = {}): Promise<Outcome> {
  const tools = ['shop', 'law'].map((knowledge_base) => ({ type: 'knowledge_base', knowledge_base }));
  const model = { provider: 'openai-compatible', model: 'm', base_url: models.baseUrl.openai };
  const input = { ...model, system: 'Be kind.', prompt: 'Returns?', tools, ...more };
  return agentNode.run(
    createContext(input, [], { http: egress, knowledge, once: notes.once, checkpoint: notes.noted }),
  );
}

const outputOf = (outcome: Outcome): JsonObject => {
  if (outcome.kind !== 'done') throw new Error(`not done: ${JSON.stringify(outcome)}`);
  return outcome.output;
};
const citedIn = (output: JsonObject) =>
  (output.citations as { ref: number; chunk_id: string; cited: boolean }[]).map(
    ({ ref, chunk_id, cited }) => `${ref} ${chunk_id} ${cited}`,
  );

test('what is found has one mark in all results, is returned with its place, and is paid for by the step', async () => {
  const notes = new Notes();
  const output = outputOf(await attempt(notes, library()));
  expect(citedIn(output)).toEqual(['1 free true', '2 paid false', '3 duty true']);
  const [, , , last] = models.seen;
  const results = ((last as LlmSeen).body.messages as JsonObject[])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => String(content));
  expect(results.map((text) => [...text.matchAll(/\[\d\]/g)].join())).toEqual(['[1],[2]', '[3],[1]', '[1],[2]']);
  expect(results[1]).toContain('by words alone');
  expect(JSON.stringify((last as LlmSeen).body.messages)).toContain(JSON.stringify(CITATION_RULE).slice(1, -1));
  expect(notes.used).toContainEqual({ input_tokens: 2 });
});

test('wherever an attempt ends, the next one has the same marks, though the base has changed', async () => {
  const undisturbed = outputOf(await attempt(new Notes(), library()));
  for (let k = 1; k <= 7; k++) {
    const notes = new CutNotes(k);
    await expect(attempt(notes, library())).rejects.toThrow('cut off');
    notes.mend();
    const changed = new FakeKnowledge();
    for (const [name, found] of library().bases)
      changed.bases.set(name, {
        ...found,
        hits: [knowledgeHit({ chunk_id: 'new', text: 'new' }), ...(found.hits ?? [])],
      });
    const output = outputOf(await attempt(notes, changed));
    // What was on record before counts as it was; what came after it goes on from there.
    const before = citedIn(undisturbed).map((row) => row.replace(/ (true|false)$/, ''));
    const after = citedIn(output).map((row) => row.replace(/ (true|false)$/, ''));
    const recorded = k < 2 ? 0 : k < 4 ? 2 : 3;
    expect([k, after.slice(0, recorded)]).toEqual([k, before.slice(0, recorded)]);
    expect(new Set(after.map((row) => row.split(' ')[0])).size).toBe(after.length);
  }
});

test('data of an agent are cited by the marks in their texts', async () => {
  script = byTurn(look('returns'), { kind: 'text', text: '{"reply":"Free [2]."}' });
  const schema = { type: 'object', properties: { reply: { type: 'string' } }, required: ['reply'] };
  const done = outputOf(await attempt(new Notes(), library(), { output_schema: schema }));
  expect(done.data).toEqual({ reply: 'Free [2].' });
  expect(citedIn(done)).toEqual(['1 free false', '2 paid true']);
});
