import { SharedState } from '../../../lib/redis/shared-state';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { TokenBuckets } from '../../../lib/token-bucket';
import { RateLimiter } from '../../../lib/rate-limit/rate-limiter';
import { startApp, type TestApp } from '../../support/app';
import { type Daemon, describeWith, startOwnRedis } from '../../support/daemons';
import { until } from '../../support/until';
import { fakes } from '../gateway/support/fakes';

describeWith('redis', { own: true })('a rate limit that gateways share', () => {
  let redis: Daemon;
  const open: SharedState[] = [];
  let names = 0;

  beforeAll(async () => {
    redis = (await startOwnRedis()) as Daemon;
  });

  afterEach(async () => {
    for (const state of open.splice(0)) state.close();
    await redis.restart();
  });

  afterAll(() => redis?.stop());

  const shared = async (namespace: string): Promise<SharedState> => {
    const state = new SharedState({ url: redis.url, namespace, log: { warn: () => undefined } });
    open.push(state);
    await until('Redis is used', () => state.unavailableReason === null);
    return state;
  };

  const gateways = async (perSecond: number): Promise<[Gateway, Gateway]> => {
    const namespace = `limits-${names++}`;
    return [gateway(perSecond, await shared(namespace)), gateway(perSecond, await shared(namespace))];
  };

  test('two gateways give a client the tokens of one', async () => {
    const [one, other] = await gateways(10);
    const began = Date.now();
    for (let i = 0; i < 4; i++) expect((await one.ask('ann')).status).toBe('admitted');
    const { remaining } = await other.ask('ann');
    expect(remaining).toBeGreaterThanOrEqual(5);
    expect(remaining).toBeLessThanOrEqual(5 + Math.ceil((Date.now() - began) / 100));
    expect((await one.ask('bob')).remaining).toBe(9);
  });

  test('a client without tokens at one gateway has none at the other, until the bucket refills', async () => {
    const [one, other] = await gateways(1);
    expect(await one.ask('ann')).toEqual({ status: 'admitted', limit: 1, remaining: 0, reset: 1 });
    expect(await other.ask('ann')).toEqual({ status: 'rate_limited', limit: 1, remaining: 0, reset: 1 });
    await until('a token has flowed in', async () => (await other.ask('ann')).status === 'admitted', 3_000);
    expect((await one.ask('ann')).status).toBe('rate_limited');
  });

  test('gives as many tokens as were promised when many ask at once', async () => {
    const [one, other] = await gateways(100);
    const began = Date.now();
    const asked = await Promise.all(Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? one : other).ask('ann')));
    const flowedIn = ((Date.now() - began) / 1_000) * 100;
    const admitted = asked.filter(({ status }) => status === 'admitted').length;
    expect(admitted).toBeGreaterThanOrEqual(100);
    expect(admitted).toBeLessThanOrEqual(100 + Math.ceil(flowedIn));
  });

  test('the tokens of three a second are three, whatever a third of a second comes to', async () => {
    const [one] = await gateways(3);
    const asked = [await one.ask('ann'), await one.ask('ann'), await one.ask('ann')];
    expect(asked.map(({ remaining }) => remaining)).toEqual([2, 1, 0]);
  });

  test('a bucket may hold more than flows in each second, and less', async () => {
    const state = await shared(`limits-${names++}`);
    const take = async (bucket: string, perSecond: number, capacity: number, times: number): Promise<string[]> => {
      const kinds: string[] = [];
      for (let i = 0; i < times; i++) kinds.push((await state.take(bucket, perSecond, capacity)).kind);
      return kinds;
    };
    expect(await take('slow', 0.001, 3, 4)).toEqual(['taken', 'taken', 'taken', 'empty']);
    expect((await take('small', 1_000, 1, 1))[0]).toBe('taken');
    await until('a token has flowed in', async () => (await state.take('small', 1_000, 1)).kind === 'taken');
  });

  test('a charge is taken unconditionally, and the debt is limited to the capacity', async () => {
    const state = await shared(`limits-${names++}`);
    expect((await state.take('charged', 0.001, 3, 2)).kind).toBe('taken');
    expect((await state.take('charged', 0.001, 3)).kind).toBe('taken');
    expect((await state.take('charged', 0.001, 3)).kind).toBe('empty');
    await state.take('owing', 20, 3, 1_000);
    expect((await state.take('owing', 20, 3)).kind).toBe('empty');
    await until('the debt is paid', async () => (await state.take('owing', 20, 3)).kind === 'taken');
  });

  test('a gateway whose Redis is paused limits by itself without delays; afterwards they share again', async () => {
    const [one, other] = await gateways(1);
    const bothShare = () =>
      until('both share', () => one.state.unavailableReason === null && other.state.unavailableReason === null);
    let round = 0;
    // Again while the machine itself is too busy for such times.
    await until('no caller was delayed by 150 ms', async () => {
      await bothShare();
      const client = `ann-${round++}`;
      redis.pause();
      const began = performance.now();
      expect((await one.ask(client)).status).toBe('admitted');
      const waited = performance.now() - began;
      expect((await one.ask(client)).status).toBe('rate_limited');
      redis.resume();
      return waited < 150;
    });
    await bothShare();
    await until('one takes a token', async () => (await one.ask('zoe')).status === 'admitted');
    expect((await other.ask('zoe')).status).toBe('rate_limited');
  });

  describe('over HTTP', () => {
    let app: TestApp;

    beforeAll(async () => {
      const env = { REDIS_URL: redis.url, RATE_LIMIT: '1' };
      app = await startApp({ services: [apiGatewayService, ...fakes({})], env, namespace: 'http' });
    });

    afterAll(() => app.close());

    const health = () => fetch(`${app.url}/health`);

    test('a refusal is a 429 with Retry-After, and a Redis that dies causes no error', async () => {
      await until('Redis is used', () => app.app.shared?.unavailableReason === null);
      const answers = [await health(), await health()];
      expect(answers.map(({ status }) => status)).toEqual([200, 429]);
      expect(answers[1]?.headers.get('retry-after')).toBe('1');
      expect(answers[0]?.headers.get('ratelimit-remaining')).toBe('0');
      await redis.kill();
      const after = await Promise.all(Array.from({ length: 20 }, health));
      const statuses = after.map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
    });
  });
});

interface Gateway {
  readonly state: SharedState;
  ask(client: string): Promise<{ status: string; limit: number; remaining: number; reset: number }>;
}

/** The limiter of a gateway, and what it tells a client. Time stands still in its own buckets. */
function gateway(perSecond: number, state: SharedState): Gateway {
  const limiter = new RateLimiter(perSecond, new TokenBuckets(state));
  return {
    state,
    async ask(client) {
      const headers = new Map<string, number>();
      const status = await limiter
        .admit(client, 0, (name, value) => headers.set(name, Number(value)))
        .then(
          () => 'admitted',
          (error: { type: string }) => error.type,
        );
      const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) => headers.get(`RateLimit-${name}`));
      return { status, limit: limit ?? NaN, remaining: remaining ?? NaN, reset: reset ?? NaN };
    },
  };
}
