import { errorCode } from '../../../lib/errors';
import { parseRerank, parseScores } from '../../../services/knowledge/search/rerank';

describe('rerank', () => {
  it('knows the addresses of its providers, and accepts any address for others', () => {
    expect(parseRerank({ provider: 'jina', model: 'm' })).toEqual({
      model: 'm',
      baseUrl: 'https://api.jina.ai/v1',
      apiKey: null,
    });
    expect(parseRerank({ model: 'm', base_url: 'http://10.0.0.1:80/v1//', api_key: 'k' })).toEqual({
      model: 'm',
      baseUrl: 'http://10.0.0.1:80/v1',
      apiKey: 'k',
    });
  });

  it.each([
    null,
    'jina',
    {},
    { model: 'm' },
    { provider: 'toString', model: 'm' },
    { provider: 'jina', model: '' },
    { model: 'm', base_url: 'ftp://x' },
    { model: 'm', base_url: 'https://' },
    { provider: 'jina', model: 'm', api_key: 7 },
    { provider: 'jina', model: 'm', url: 'https://x' },
  ])('refuses %j', (given) => {
    let code: unknown = null;
    try {
      parseRerank(given);
    } catch (fault) {
      code = errorCode(fault);
    }
    expect(code).toBe('invalid_query');
  });

  it('reads scores by their index, bounded', () => {
    const body = JSON.stringify({
      results: [
        { index: 1, relevance_score: 7 },
        { index: 0, relevance_score: 0.25 },
        { index: 9, relevance_score: 1 },
      ],
    });
    expect(parseScores(body, 2)).toEqual({ scores: [0.25, 1] });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"results": 1}',
    '{"results": [1]}',
    '{"results": [{"index": "0", "relevance_score": 1}]}',
    '{"results": [{"index": 0, "relevance_score": 1}]}',
  ])('has no scores for %j', (body) => {
    expect(parseScores(body, 2)).toEqual({ problem: expect.any(String) });
  });
});
