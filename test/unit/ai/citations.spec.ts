import type { KnowledgeHit } from '../../../nodes/contract';
import { Citations } from '../../../nodes/ai/agent/citations';
import { knowledgeHit } from '../../support/knowledge';

const hit = (chunk_id: string): KnowledgeHit => knowledgeHit({ chunk_id, text: chunk_id });
const recorded = (hits: readonly object[]) => ({ hits: hits.map((each) => ({ ...each })) }) as never;

describe('marks of what an agent looked up', () => {
  it('count on over all results, and stay with the part of the document', () => {
    const citations = new Citations();
    const first = citations.mark([hit('a'), hit('b')]);
    expect(first.map(({ ref }) => ref)).toEqual([1, 2]);
    citations.learn(recorded(first));
    expect(citations.mark([hit('c'), hit('a'), hit('c')]).map(({ ref }) => ref)).toEqual([3, 1, 3]);
  });

  it('come out the same when the results are read from the record', () => {
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

  it('of a result that was never recorded are given again', () => {
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

  it('are not learnt from what has none', () => {
    const citations = new Citations();
    citations.learn({ truncated: true, beginning: '{' });
    expect(citations.in('[1]')).toEqual([]);
  });
});
