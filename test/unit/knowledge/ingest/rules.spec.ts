import { parseEmbedding } from '../../../../services/knowledge/bases/embedding';
import { validateMetadata, defaultName, urlSource } from '../../../../services/knowledge/documents/new-document';
import { afterCheck, afterFailedCheck } from '../../../../services/knowledge/ingest/url-checks';
import { taskOf } from '../../../../services/knowledge/ingest/task';
import type { NextRevision, UrlSource } from '../../../../services/knowledge/models';
import { retryDecision, isPoison } from '../../../../mixins/leased-work/retry-policy';
import { FairQueue } from '../../../../mixins/leased-work/fair-queue';

const NOW = Date.UTC(2026, 10, 22);
const HOUR_MS = 3_600_000;

type State = Parameters<typeof taskOf>[0];

describe('turns', () => {
  /** Serves one waiting job at a time; returns its tenants in order. */
  function serve(turns: FairQueue, waiting: string[]): string | undefined {
    for (const [round, except] of turns.rounds().entries()) {
      const at = waiting.findIndex((tenant) => !except.includes(tenant));
      if (at < 0) continue;
      turns.onClaimed(waiting[at] as string, round);
      return waiting.splice(at, 1)[0];
    }
    turns.reset();
    return undefined;
  }

  it('are fair between tenants, however much work each has', () => {
    const turns = new FairQueue();
    const waiting = [...'aaaaabbc'];
    const order = Array.from({ length: 8 }, () => {
      const tenant = serve(turns, waiting) as string;
      turns.onFinished(tenant);
      return tenant;
    });
    expect(order.join('')).toBe('abcabaaa');
    expect(serve(turns, waiting)).toBeUndefined();
  });

  it('give a busy tenant more only when no other tenant waits', () => {
    const turns = new FairQueue();
    const waiting = [...'aab'];
    expect([serve(turns, waiting), serve(turns, waiting), serve(turns, waiting)]).toEqual(['a', 'b', 'a']);
    turns.onFinished('a');
    waiting.push('a', 'b');
    // Both are still busy, so the one that has waited longer is next.
    expect(serve(turns, waiting)).toBe('a');
  });
});

describe('after a failure', () => {
  it.each([
    [
      'that may pass, it is tried again after pauses that double',
      { retryable: true },
      3,
      { kind: 'retry', afterMs: 8_000 },
    ],
    [
      'as long as the other side asks',
      { retryable: true, retryAfterMs: 90_000 },
      1,
      { kind: 'retry', afterMs: 90_000 },
    ],
    ['but never for a day', { retryable: true, retryAfterMs: 24 * HOUR_MS }, 1, { kind: 'retry', afterMs: 600_000 }],
    ['that lasts, it is over', { retryable: false }, 1, { kind: 'give_up' }],
    ['time and again, it is over', { retryable: true }, 12, { kind: 'give_up' }],
  ])('%s', (_what, failure, attempts, after) => expect(retryDecision(failure, attempts)).toEqual(after));

  it('poison work is abandoned', () => expect([isPoison(12), isPoison(13)]).toEqual([false, true]));
});

describe('the task of a document', () => {
  const next: NextRevision = { revision: 2, chunking: { max_tokens: 1, overlap_tokens: 0 }, content: null, cut: null };
  const source = urlSource('https://example.com', '1h');
  const base = { state: 'live', generation: 3, embedding: null, reembedding: null } as const;
  const ready: State = { state: 'live', next: null, leftovers: false, revision: 1, generations: [3], source };
  const due = { ...source, next_check_at: new Date(NOW) };
  const target = { provider: 'openai', model: 'm', base_url: null, api_key: null, dimension: null };
  const running = { state: 'running', generation: 4, embedding: target, done: 0, total: 1, error: null } as const;
  const reembedding = { ...running, started_at: new Date(NOW), ended_at: null };

  it.each([
    ['nothing', ready, base, { kind: 'idle', until: null }],
    [
      'nothing before it is due',
      { ...ready, source: { ...due, next_check_at: new Date(NOW + 1) } },
      base,
      { kind: 'idle', until: new Date(NOW + 1) },
    ],
    ['asking its address', { ...ready, source: due }, base, { kind: 'check' }],
    ['its next revision first', { ...ready, next, leftovers: true, source: due }, base, { kind: 'ingest' }],
    ['tidying up after it', { ...ready, leftovers: true, source: due }, base, { kind: 'clean_up' }],
    [
      'the vectors that it lacks',
      { ...ready, generations: [2] },
      base,
      { kind: 'embed', generation: { number: 3, embedding: null } },
    ],
    [
      "not those of the coming model, which are its base's work",
      ready,
      { ...base, reembedding },
      { kind: 'idle', until: null },
    ],
    ['none before it was ever ready', { ...ready, revision: 0, generations: [] }, base, { kind: 'idle', until: null }],
    ['its removal, whatever else', { ...ready, state: 'removing', next } as const, base, { kind: 'remove' }],
    ['its removal with its base', ready, { ...base, state: 'removing' } as const, { kind: 'remove' }],
    ['its removal without a base', ready, null, { kind: 'remove' }],
  ])('is %s', (_what, document, its, task) => expect(taskOf(document, its, NOW)).toEqual(task));
});

describe('an address', () => {
  const source = urlSource('https://example.com/a?b=c#d', '2h');

  it('is stored without a fragment', () => expect(source.url).toBe('https://example.com/a?b=c'));

  it('is due again after its interval, and after growing intervals while it fails, up to a day', () => {
    expect(afterCheck(source, new Date(NOW)).next_check_at).toEqual(new Date(NOW + 2 * HOUR_MS));
    const pauses: number[] = [];
    let failing: UrlSource = source;
    for (let n = 0; n < 6; n++) {
      failing = afterFailedCheck(failing, { message: 'gone' }, NOW);
      pauses.push(((failing.next_check_at as Date).getTime() - NOW) / HOUR_MS);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 24, 24]);
    expect(afterCheck(failing, new Date(NOW))).toMatchObject({ failures: 0, failure: null });
  });

  it('with an interval of more than a day is not requested more often when it fails, and one without an interval not at all', () => {
    const rare = afterFailedCheck(urlSource('https://example.com', '3d'), { message: 'gone' }, NOW);
    expect(rare.next_check_at).toEqual(new Date(NOW + 72 * HOUR_MS));
    expect(
      afterFailedCheck(urlSource('https://example.com', undefined), { message: 'gone' }, NOW).next_check_at,
    ).toBeNull();
  });
});

describe('the texts of a request', () => {
  it.each([
    ['# How to *begin*\n\nText', 'How to *begin*'],
    ['\n\n   Indented first line\nsecond', 'Indented first line'],
    [`${'x'.repeat(100)} y`, 'x'.repeat(80)],
    ['#', 'Untitled'],
  ])('%j without a name is called %j', (text, name) => expect(defaultName(text)).toBe(name));

  it('allow small metadata values with plain names', () => {
    const metadata = { a: 'x', b: [1, { c: null }], 'd-e f': true };
    expect(validateMetadata(metadata)).toBe(metadata);
    const deep = { a: { a: { a: { a: { a: { a: 1 } } } } } };
    for (const wrong of [{ a: { $set: 1 } }, { a: [{ 'b.c': 1 }] }, { a: 'x'.repeat(20_000) }, deep])
      expect(() => validateMetadata(wrong)).toThrow(/metadata/);
  });

  const none = { openai: null, anthropic: null, google: null, 'openai-compatible': null };

  it.each([
    ['a provider without vectors', { provider: 'anthropic', model: 'm' }, 'embedding.provider'],
    ['a key itself', { provider: 'openai', model: 'm', api_key: 'sk-1' }, 'embedding.api_key'],
    [
      'an address with a user',
      { provider: 'openai-compatible', model: 'm', base_url: 'http://a:b@c/v1' },
      'embedding.base_url',
    ],
    ['no way to the provider', { provider: 'openai', model: 'm' }, 'embedding'],
    [
      'no address of a server of their own',
      { provider: 'openai-compatible', model: 'm', api_key: '{{ secret.A }}' },
      'embedding',
    ],
  ])('for a model may not have %s', (_what, asked, path) =>
    expect(parseEmbedding(asked, none)).toMatchObject({ kind: 'invalid', path }),
  );

  it('for a model may omit the key if the installation has one, and otherwise use a secret', () => {
    const ours = { ...none, openai: { apiKey: 'k', baseUrl: null, model: null } };
    expect(parseEmbedding({ provider: 'openai', model: 'm' }, ours)).toMatchObject({ kind: 'usable', secret: null });
    const named = parseEmbedding({ provider: 'openai', model: 'm', api_key: ' {{secret.KEY}} ' }, none);
    expect(named).toMatchObject({ kind: 'usable', secret: 'KEY', embedding: { api_key: '{{secret.KEY}}' } });
  });
});
