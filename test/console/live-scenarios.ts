import type { BrowserContext, Page } from 'playwright-core';
import { Api } from '../support/server';
import { until } from '../support/until';
import { type Scene, watchedPage } from './browser';
import { account } from './seed';

const ASK = [{ id: 'ask', type: 'approval', config: { message: 'Ship?' } }];
const SHORT = [{ id: 'one', type: 'set', config: { n: 1 } }];

/** A workspace without schedules: two workflows, a run that waits and one that has completed. */
async function seedQuiet(url: string) {
  const { token } = await account(url);
  const api = new Api(url);
  api.token = token;
  const create = async (name: string, steps: object[]): Promise<string> => {
    const dsl = { id: 'flow', trigger: { type: 'http', config: {} }, steps };
    return (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl })).id;
  };
  const start = async (workflow: string): Promise<string> =>
    (await api.call<{ id: string }>('POST', `/api/v1/workflows/${workflow}/trigger`, {})).id;
  const [question, short] = [await create('Question', ASK), await create('Short', SHORT)];
  const [waiting, completed] = [await start(question), await start(short)];
  const run = (id: string) => api.call<{ status: string; waiting: unknown[] }>('GET', `/api/v1/executions/${id}`);
  await until(
    'the runs wait and have completed',
    async () => (await run(waiting)).waiting.length > 0 && (await run(completed)).status === 'completed',
  );
  return { api, token, start, question, short, waiting, completed };
}

/** Requests to the API by path, in order. */
function recorded(target: Page | BrowserContext): string[] {
  const requests: string[] = [];
  target.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/')) requests.push(pathname);
  });
  return requests;
}

/** Requests that were sent before have been recorded after it. */
const roundTrip = (page: Page): Promise<unknown> => page.evaluate(() => fetch('/health').then((reply) => reply.text()));

/** Lets the clock of the page run, so that its timers fire. */
async function runFor(page: Page, ms: number): Promise<void> {
  await page.clock.runFor(ms);
  await roundTrip(page);
}

const STREAM = '/api/v1/events';
/** The first events of a stream may take a moment of real time. */
const QUIET_ROUNDS = 4;
const countOf = (requests: readonly string[], path: string): number => requests.filter((each) => each === path).length;

export const LIVE_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'an open page asks for nothing while nothing happens'({ browser, url }) {
    const { token, waiting, completed, question } = await seedQuiet(url);
    const context = await browser.newContext();
    await context.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
    for (const [path, text] of [
      ['', 'Latest runs'],
      ['/runs', 'Short'],
      ['/workflows', 'Question'],
      ['/approvals', 'Ship?'],
      [`/runs/${waiting}`, 'Waits for the approval'],
      [`/runs/${waiting}?tab=graph`, 'ask'],
      [`/runs/${completed}?tab=steps`, 'one'],
      ['/schedules', 'No schedules'],
      ['/deliveries', 'Nothing has come in'],
      [`/workflows/${question}?panel=try&run=${waiting}`, 'ask waits'],
    ] as const) {
      const { page, assertClean } = await watchedPage(context);
      await page.clock.install();
      const requests = recorded(page);
      const streamed = page.waitForResponse(`**${STREAM}`);
      await page.goto(`${url}/console${path}`);
      await page.getByText(text).first().waitFor();
      await streamed;
      // What changed while the page was loaded is fetched once more.
      let quiet = 0;
      await until(`${path} is at rest`, async () => {
        const before = requests.length;
        await runFor(page, 15_000);
        quiet = requests.length === before ? quiet + 1 : 0;
        return quiet === QUIET_ROUNDS;
      });
      const before = requests.length;
      await runFor(page, 120_000);
      const more = requests.slice(before);
      if (more.length > 0) throw new Error(`${path || '/'} has asked in two minutes for ${more.join(', ')}`);
      if (countOf(requests, STREAM) !== 1) throw new Error(`${path} has opened ${countOf(requests, STREAM)} streams`);
      assertClean(path);
      await page.close();
    }
    await context.close();
  },

  async 'tabs share a stream, and follow it with few requests'({ browser, url }) {
    const { token, api, start, short, waiting } = await seedQuiet(url);
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
    const requests = recorded(context);
    const first = await watchedPage(context);
    await first.page.goto(`${url}/console`);
    await until('the stream is open', async () => countOf(requests, STREAM) === 1);
    const second = await watchedPage(context);
    await second.page.goto(`${url}/console/runs`);
    const rows = second.page.getByRole('row');
    await rows.filter({ hasText: 'Waiting' }).waitFor();
    const link = first.page.getByRole('link', { name: 'Approvals' });
    await link.getByText('1').waitFor();
    await api.call('POST', `/api/v1/executions/${waiting}/signal`, {
      signal: 'approve-ask',
      data: { approved: true },
    });
    await rows.filter({ hasText: 'Waiting' }).waitFor({ state: 'detached' });
    await link.getByText('1').waitFor({ state: 'detached' });

    const list = '/api/v1/executions/visibility';
    const [before, began] = [countOf(requests, list), Date.now()];
    let last = '';
    for (let n = 0; n < 40; n++) last = await start(short);
    const linkTo = (run: string) => second.page.locator(`a[href$="/runs/${run}"]`);
    await linkTo(last).waitFor();
    const [more, seconds] = [countOf(requests, list) - before, (Date.now() - began) / 1_000];
    console.log(`        ${more} requests for the list at 40 runs in ${seconds.toFixed(1)} s`);
    if (more > seconds + 2) throw new Error(`The list was fetched ${more} times in ${seconds} s`);
    if (countOf(requests, STREAM) !== 1) throw new Error('The tabs have more than one stream');

    first.assertClean('the first tab');
    await first.page.close();
    await until('the other tab takes over', async () => countOf(requests, STREAM) === 2);
    await linkTo(await start(short)).waitFor();
    second.assertClean('the second tab');
    await context.close();
  },

  async 'deliveries and times of schedules come by the stream'({ browser, url }) {
    const { token, api, short } = await seedQuiet(url);
    const trigger = { type: 'schedule', config: { cron: '0 0 1 1 *' } };
    const dsl = { id: 'yearly', trigger, steps: SHORT };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Yearly', dsl });
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
    const deliveries = await watchedPage(context);
    const streamed = deliveries.page.waitForResponse(`**${STREAM}`);
    await deliveries.page.goto(`${url}/console/deliveries`);
    await deliveries.page.getByText('Nothing has come in').waitFor();
    await streamed;
    const send = (body: string): Promise<Response> =>
      fetch(`${url}/webhooks/${short}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await send('{ "n": ');
    const rows = deliveries.page.getByRole('table', { name: 'Deliveries' });
    await rows.getByText('Refused').waitFor();
    await send('{ "n": 1 }');
    await rows.getByText('Started').waitFor();
    deliveries.assertClean('deliveries');
    const schedules = await watchedPage(context);
    await schedules.page.goto(`${url}/console/schedules?open=${id}:0`);
    await schedules.page.getByRole('region', { name: '0 0 1 1 *' }).waitFor();
    await api.call('POST', `/api/v1/workflows/${id}/schedule/fire`, {});
    await schedules.page.getByRole('region', { name: '0 0 1 1 *' }).getByText('By hand').waitFor();
    schedules.assertClean('schedules');
    await context.close();
  },

  async 'an idle page follows a server that was killed and started again'({ browser, url, restart }) {
    const { token, start, short } = await seedQuiet(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
    const streamed = page.waitForResponse(`**${STREAM}`);
    await page.goto(`${url}/console/runs`);
    await page.getByText('Question').first().waitFor();
    await streamed;
    await restart();
    const run = await start(short);
    await page.locator(`a[href$="/runs/${run}"]`).waitFor({ timeout: 30_000 });
    await page.getByText('The server does not answer').waitFor({ state: 'detached' });
    assertClean('a killed server', ['ERR_INCOMPLETE_CHUNKED_ENCODING', 'ERR_CONNECTION', 'ERR_EMPTY_RESPONSE']);
    await context.close();
  },

  async 'without the stream a page is refreshed now and then'({ browser, url }) {
    const { token } = await seedQuiet(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
    await page.clock.install();
    await page.route(`**${STREAM}`, (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }));
    const requests = recorded(page);
    await page.goto(`${url}/console/runs`);
    await page.getByText('Question').first().waitFor();
    const list = '/api/v1/executions/visibility';
    const before = countOf(requests, list);
    for (let second = 0; second < 120; second++) await runFor(page, 1_000);
    const more = countOf(requests, list) - before;
    console.log(`        ${more} requests for the list, ${countOf(requests, STREAM)} for the stream in two minutes`);
    if (more < 2 || more > 5) throw new Error(`The list was fetched ${more} times in two minutes`);
    if (countOf(requests, STREAM) > 20) throw new Error(`The stream was tried ${countOf(requests, STREAM)} times`);
    await page.unroute(`**${STREAM}`);
    await until('the stream is open', async () => {
      const tried = countOf(requests, STREAM);
      await runFor(page, 15_000);
      return countOf(requests, STREAM) === tried;
    });
    assertClean('without the stream', ['503']);
    await context.close();
  },
};
