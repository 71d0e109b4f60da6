import type { CaseAnswer } from '../nodes/connectors/connector-case';
import { type Provider, startProvider } from '../support/connectors/provider';
import { Api } from '../support/server';
import { Browser, outcomeOf } from '../support/sso/browser';
import { until } from '../support/until';
import { Installation } from './support/installation';

/** Acceptance runs ask for more; every test run plays a few. */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3);

/**
 * A provider that rotates refresh tokens strictly, with one exception: the refresh token before
 * the last one is accepted once more, since its answer may have been lost.
 */
class Rotating {
  #issued = 0;
  /** Refresh tokens that were used more than twice, or long after they were replaced. */
  readonly reused: string[] = [];
  readonly #brought = new Map<string, number>();
  /** Called when a refresh token arrives, before the answer. */
  onRefresh: () => void | Promise<void> = () => undefined;

  readonly answer = async ({ url, text }: { url: string; text: string }): Promise<CaseAnswer> => {
    if (url !== '/token') return {};
    const given = new URLSearchParams(text).get('refresh_token');
    if (given !== null) {
      const times = (this.#brought.get(given) ?? 0) + 1;
      this.#brought.set(given, times);
      const isLate = Number(given.split('-')[1]) < this.#issued - 1;
      if (times > 2 || isLate) {
        this.reused.push(given);
        return { status: 400, json: { error: 'invalid_grant' } };
      }
    }
    this.#issued += 1;
    const json = {
      access_token: `access-${this.#issued}`,
      refresh_token: `refresh-${this.#issued}`,
      token_type: 'bearer',
      // So short that each request for a token is a refresh.
      expires_in: 0.001,
    };
    if (given !== null) await this.onRefresh();
    return { json };
  };
}

describe('a server that is killed while it renews a token', () => {
  const rotating = new Rotating();
  let provider: Provider;
  let place: Installation;

  beforeAll(async () => {
    provider = await startProvider(rotating.answer);
    place = await Installation.make({
      FRONTEND_URL: 'https://app.test',
      OAUTH_SUITE_CLIENT_ID: 'c',
      OAUTH_SUITE_CLIENT_SECRET: 's',
      OAUTH_SUITE_AUTHORIZE_URL: `${provider.url}/authorize`,
      OAUTH_SUITE_TOKEN_URL: `${provider.url}/token`,
    });
  }, 60_000);
  afterAll(async () => {
    await place.remove();
    await provider.close();
  });

  /** Completes the authorization, as after the user's consent. */
  async function connect(api: Api): Promise<string> {
    const { authorize_url } = await api.call<{ authorize_url: string }>('POST', '/api/v1/oauth/suite/start', {});
    const browser = new Browser();
    const asked = new URL((await browser.open(authorize_url)).location ?? '').searchParams;
    const back = new URLSearchParams({ code: 'a code', state: asked.get('state') ?? '' });
    const { location } = await browser.open(`${asked.get('redirect_uri')}?${back}`);
    return outcomeOf(location ?? '').oauth_connection ?? '';
  }

  it(
    `goes on with the connection afterwards, ${ROUNDS} times over, before the answer and after it`,
    async () => {
      await place.start();
      const api = new Api(place.url);
      await api.register('renewing');
      const id = await connect(api);
      const token = () => api.call<{ access_token: string }>('GET', `/api/v1/oauth/connections/${id}/token`);
      for (let round = 0; round < ROUNDS; round += 1) {
        let come = false;
        // Odd rounds: the answer is never sent. Even ones: it is sent, and it is unknown how much of it arrived.
        rotating.onRefresh = async () => {
          come = true;
          if (round % 2 === 0) return;
          await until('the server is dead', () => !come, 20_000);
        };
        const lost = token().catch(() => null);
        await until('the provider is asked', () => come);
        await place.server.kill();
        come = false;
        rotating.onRefresh = () => undefined;
        await lost;
        await place.start();
        expect((await token()).access_token).toMatch(/^access-\d+$/);
        const { data } = await api.call<{ data: unknown[] }>('GET', '/api/v1/oauth/connections');
        expect(data).toMatchObject([{ id, status: 'active', last_error: null }]);
      }
      expect(rotating.reused).toEqual([]);
    },
    60_000 + ROUNDS * 20_000,
  );
});
