import { Api } from '../support/server';
import { until } from '../support/until';
import { type Scene, stopwatch, watchedPage } from './browser';
import { account, seedRuns } from './seed';

/** From the request for the page to the drawing of its graph. */
const MAX_GRAPH_MS = 1_000;

/** A document with as many steps as the language allows: some in blocks, most in one list. */
function largeDocument(): object {
  const set = (id: string): object => ({ id, type: 'set', config: {} });
  const blocks = Array.from({ length: 50 }, (_, n) => ({
    id: `block${n}`,
    type: 'parallel',
    branches: ['a', 'b', 'c'].map((id) => ({ id, steps: [set(`${id}${n}`)] })),
  }));
  return {
    id: 'large',
    trigger: { type: 'http', config: {} },
    steps: [...blocks, ...Array.from({ length: 300 }, (_, n) => set(`step${n}`))],
  };
}

export const RUN_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a run in the graph'({ browser, url }) {
    const { token } = await account(url);
    const { waiting, branched } = await seedRuns(url, token);
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/runs/${waiting}#token=${token}`);
    await page.getByRole('tab', { name: 'Graph' }).click();
    await page.waitForURL('**tab=graph**');
    const card = (name: string) => page.getByRole('option').filter({ hasText: name });
    await card('manager').getByText('Waiting').waitFor();
    await card('note').getByText('Pending').waitFor();
    await card('price').getByText('3 completed').waitFor();
    const api = new Api(url);
    api.token = token;
    await api.call('POST', `/api/v1/executions/${waiting}/signal`, {
      signal: 'approve-manager',
      data: { approved: true },
    });
    await card('answer').getByText('Completed').waitFor();

    await page.goto(`${url}/console/runs/${branched}?tab=graph`);
    await card('Book the stock').getByText('3 attempts').waitFor();
    await card('post').getByText('Not reached').waitFor();
    await card('weigh').click();
    const panel = page.getByRole('region', { name: 'weigh' });
    await panel.getByText('The scale does not answer').first().waitFor();
    await page.waitForURL('**step=pack%2Fsteps%5B4%5D%2Fweigh**');
    await panel.getByRole('button', { name: 'Next item' }).click();
    await panel.getByText('Skipped').waitFor();
    await panel.getByLabel('Item', { exact: true }).fill('9');
    await page.keyboard.press('Enter');
    await panel.getByText('The scale does not answer').first().waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    // The focus is back at the steps; the one before is in the loop, too.
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'pick' }).waitFor();
    await page.getByRole('button', { name: 'Close the panel' }).click();
    await card('Pack each line').click();
    await page.getByRole('link', { name: 'Steps inside' }).click();
    await page.getByRole('row').getByText('pick · 11').waitFor();
    assertClean('the graph of a run');
    await context.close();
  },

  async 'the graph of a run of 500 steps'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const workflow = await api.call<{ id: string }>('POST', '/api/v1/workflows', {
      name: 'Large',
      dsl: largeDocument(),
    });
    const { id } = await api.call<{ id: string }>('POST', `/api/v1/workflows/${workflow.id}/trigger`, {});
    await until(
      'a completed run',
      async () => (await api.call<{ status: string }>('GET', `/api/v1/executions/${id}`)).status === 'completed',
    );
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console#token=${token}`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const shownAfter = await stopwatch(page, '[role="option"] .status', 'Completed');
    const took: number[] = [];
    // The best of three: other processes of the machine may hold the browser.
    for (let round = 0; round < 3; round++) {
      await page.goto(`${url}/console/runs/${id}?tab=graph`);
      took.push(await shownAfter());
    }
    console.log(`        drawn after ${took.join(', ')} ms`);
    if (Math.min(...took) > MAX_GRAPH_MS) throw new Error(`The graph was drawn after ${Math.min(...took)} ms`);
    const list = page.getByRole('listbox', { name: 'Steps of the run' });
    await list.focus();
    for (let press = 0; press < 30; press++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'b7' }).waitFor();
    assertClean('the graph of a large run');
    await context.close();
  },
};
