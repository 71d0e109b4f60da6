import type { JsonObject } from '../../../lib/json';
import type { KnowledgeHit } from '../../../nodes/contract';
import { Citations, modelViewOf } from '../../../nodes/ai/agent/citations';
import { knowledgeTool } from '../../../nodes/ai/agent/tools/knowledge-tool';
import { problemOf } from '../../../nodes/ai/agent/tools/tool';
import { FakeKnowledge, knowledgeHit } from '../../support/knowledge';
import { BARE_CAPABILITIES, createContext } from '../nodes/context';

const hit = (chunk_id: string): KnowledgeHit => knowledgeHit({ chunk_id, text: chunk_id });
const recorded = (hits: readonly object[]) => ({ hits: hits.map((each) => ({ ...each })) }) as never;

describe('citation marks of an agent', () => {
  it('are numbered across all results; a chunk keeps its mark', () => {
    const citations = new Citations();
    const first = citations.mark([hit('a'), hit('b')]);
    expect(first.map(({ ref }) => ref)).toEqual([1, 2]);
    citations.learn(recorded(first));
    expect(citations.mark([hit('c'), hit('a'), hit('c')]).map(({ ref }) => ref)).toEqual([3, 1, 3]);
  });

  it('are the same when the results are read from the journal', () => {
    const results = [
      [hit('a'), hit('b')],
      [hit('b'), hit('c')],
    ];
    const whole = new Citations();
    const records = results.map((hits) => {
      const marked = whole.mark(hits);
      whole.learn(recorded(marked));
      return marked;
    });
    const resumed = new Citations();
    resumed.learn(recorded(records[0] ?? []));
    expect(resumed.mark(results[1] ?? [])).toEqual(records[1]);
  });

  it('of a result that was not recorded are assigned again', () => {
    const citations = new Citations();
    citations.mark([hit('a')]);
    expect(citations.mark([hit('b')]).map(({ ref }) => ref)).toEqual([1]);
  });

  it.each([
    ['So it is [1].', [1]],
    ['Both [1][2], or [1, 2]; and [ 2 ].', [1, 2]],
    ['[1,2;3]', [1, 2, 3]],
    ['An array a[0] and [12] are none, nor is (1) or [1a].', []],
  ])('are found in %j', (answer, refs) => {
    const citations = new Citations();
    citations.learn(recorded(citations.mark([hit('a'), hit('b'), hit('c')])));
    expect(citations.in(answer).flatMap(({ ref, cited }) => (cited === true ? [ref] : []))).toEqual(refs);
  });

  it('cannot be forged by the text of a document: the model sees only the mark of each source', () => {
    const forged = knowledgeHit({
      chunk_id: 'a',
      document_name: 'Notes [3]',
      heading: 'See [2]',
      text: 'All of this rests on [1], [2, 3]; argv[1].',
    });
    const citations = new Citations();
    const result = recorded(citations.mark([forged, hit('b'), hit('c')]));
    citations.learn(result);
    const { sources } = modelViewOf(result) as unknown as { sources: { mark: string; text: string }[] };
    expect(sources[0]).toMatchObject({ mark: '[1]', text: 'All of this rests on [ 1 ], [ 2, 3 ]; argv[ 1 ].' });
    const [{ mark: _mark, ...source } = { mark: '' }] = sources;
    expect(citations.in(JSON.stringify(source)).filter(({ cited }) => cited)).toEqual([]);
  });

  it('are not read from a truncated result', () => {
    const citations = new Citations();
    citations.learn({ truncated: true, beginning: '{' });
    expect(citations.in('[1]')).toEqual([]);
  });
});

test("an agent's model can only choose the query", async () => {
  const given = { type: 'knowledge_base', knowledge_base: 'handbook', top_k: 3, filter: { public: true } };
  const tool = knowledgeTool(given, new Citations());
  expect(tool).toMatchObject({ name: 'search_handbook', approval: null, repeatable: true });
  expect(Object.keys(tool.parameters.properties as object)).toEqual(['query']);
  const others: JsonObject[] = [
    { query: 'x', knowledge_base: 'payroll' },
    { query: 'x', filter: {} },
    { query: 7 },
    {},
  ];
  const { compute } = BARE_CAPABILITIES;
  for (const input of others) expect(await problemOf(tool, compute, input)).not.toBeNull();
  expect(await problemOf(tool, compute, { query: 'x' })).toBeNull();
});

test('a result that is too long loses whole hits, so that marks stay with their texts', async () => {
  const knowledge = new FakeKnowledge();
  knowledge.bases.set('b', {
    hits: Array.from({ length: 9 }, (_, n) => knowledgeHit({ chunk_id: `c${n}`, text: `${n}`.repeat(9_000) })),
  });
  const tool = knowledgeTool({ type: 'knowledge_base', knowledge_base: 'b', top_k: 9 }, new Citations());
  const used = await tool.use(createContext({}, [], { knowledge }), 'part', { query: 'x' });
  const hits = (used.kind === 'result' && used.result.ok ? used.result.output.hits : []) as { text: string }[];
  expect(hits.map(({ text }) => text.length)).toEqual([9_000, 9_000, 9_000, 3_000]);
  expect(knowledge.asked).toEqual([{ base: 'b', query: 'x', topK: 9 }]);
  // Texts that JSON escapes, with long headings and addresses.
  const long = { heading: '"'.repeat(1_800), url: `https://a.example/${'a'.repeat(1_900)}`, text: '"'.repeat(2_000) };
  knowledge.bases.set('b', {
    hits: Array.from({ length: 50 }, (_, n) => knowledgeHit({ chunk_id: `c${n}`, ...long })),
  });
  const again = await tool.use(createContext({}, [], { knowledge }), 'again', { query: 'x' });
  expect(again).toMatchObject({ result: { ok: true, output: { hits: expect.any(Array) } } });
});
