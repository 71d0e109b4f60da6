import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { until } from '../../support/until';
import { assertWithin } from '../browser';
import { card, panel, type Scenario, stageOf } from './stage';

const MAX_OPEN_MS = 1_000;
const MAX_EDIT_MS = 50;

/** What a panel may hold the page for at once, whatever a step has returned. */
const MAX_TASK_MS = 100;
/** Below the 10 MiB that a response may have. */
const LARGE_BODY = JSON.stringify({
  rows: Array.from({ length: 100_000 }, (_, id) => ({ id, text: 'x'.repeat(70) })),
  total: 100_000,
});

const LARGE = {
  id: 'large',
  trigger: { type: 'http', config: {} },
  steps: Array.from({ length: 50 }, (_, outer) => ({
    id: `each${outer}`,
    type: 'foreach',
    config: { items: [1] },
    steps: Array.from({ length: 9 }, (_item, inner) => ({
      id: `s${outer}_${inner}`,
      type: 'set',
      config: { n: inner },
    })),
  })),
};

/** From the click on its name to all steps being there, as a user waits for it. */
const openingTime = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const began = performance.now();
    [...document.querySelectorAll('a')].find((link) => link.textContent === 'Large')?.click();
    while (document.querySelector('[role="option"][aria-setsize="500"]') === null) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return performance.now() - began;
  });

/** From the key to the next frame that shows it: edit, layout and drawing. */
const editTimes = (page: Page): Promise<number[]> =>
  page.evaluate(async () => {
    const list = document.querySelector<HTMLElement>('[role="listbox"]');
    list?.focus();
    const times: number[] = [];
    for (let count = 0; count < 10; count++) {
      // A step goes, then it comes back: all that is below moves.
      const edit = count % 2 === 0 ? { key: 'Delete' } : { key: 'z', ctrlKey: true };
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      const began = performance.now();
      list?.dispatchEvent(new KeyboardEvent('keydown', { ...edit, bubbles: true }));
      // Microtasks render it; reading the size makes the browser lay it out.
      await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
      list?.getBoundingClientRect();
      times.push(performance.now() - began);
    }
    return times.toSorted((a, b) => a - b);
  });

/** Large documents and large values. */
export const LARGE_ONES: Readonly<Record<string, Scenario>> = {
  async 'a workflow of 500 steps is edited quickly'(scene) {
    const { open, create } = await stageOf(scene);
    await create(LARGE, 'Large');
    const { page, assertClean, context } = await open('/workflows/new');
    await page.goto(`${scene.url}/console/workflows`);
    await page.getByRole('link', { name: 'Large' }).waitFor();
    const opened = await openingTime(page);
    const edits = await editTimes(page);
    const median = edits[Math.floor(edits.length / 2)] ?? 0;
    console.log(`        opened in ${opened.toFixed(0)} ms; an edit took ${median.toFixed(0)} ms`);
    await assertWithin(page, 'Opening 500 steps in the editor', opened, MAX_OPEN_MS);
    await assertWithin(page, 'An edit', median, MAX_EDIT_MS);
    assertClean('500 steps');
    await context.close();
  },

  async 'an output of 10 MB does not hold the page'(scene) {
    const { api, open, create } = await stageOf(scene);
    const source = createServer((_request, response) =>
      response.setHeader('content-type', 'application/json').end(LARGE_BODY),
    );
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(source.address() as AddressInfo).port}/`;
    const steps = [{ id: 'fetch', type: 'http_request', config: { url } }];
    const id = await create({ id: 'heavy', trigger: { type: 'manual' }, steps }, 'Heavy');
    const run = await api.call<{ id: string }>('POST', `/api/v1/workflows/${id}/trigger`, {});
    await until(
      'the run has completed',
      async () => {
        const { status } = await api.call<{ status: string }>('GET', `/api/v1/executions/${run.id}`);
        if (status === 'failed') throw new Error('The run has failed');
        return status === 'completed';
      },
      30_000,
    );
    source.close();
    const { page, assertClean, context } = await open(`/workflows/${id}?run=${run.id}`);
    await page.evaluate(() => {
      const seen = { longest: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
      }).observe({ type: 'longtask' });
    });
    const longestTask = (): Promise<number> =>
      page.evaluate(() => (window as unknown as { seen: { longest: number } }).seen.longest);
    await card(page, 'fetch').click();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByText('This is the beginning of a large value').waitFor();
    await page.getByText('total').first().waitFor();
    const inEditor = await longestTask();
    await page.getByRole('button', { name: 'Load all of it' }).click();
    await page.getByText('This is the beginning of a large value').waitFor({ state: 'detached' });
    await page.getByText('[100000 items]').waitFor();
    await page
      .getByRole('link', { name: 'Open the run' })
      .or(page.getByRole('link', { name: 'Runs' }))
      .first()
      .click();
    await page.goto(`${scene.url}/console/runs/${run.id}?tab=steps`);
    await page.getByRole('button', { name: 'fetch' }).click();
    await panel(page, 'fetch').getByText('This is the beginning of a large value').waitFor();
    const download = page.waitForEvent('download');
    await panel(page, 'fetch').getByRole('button', { name: 'Download' }).click();
    const name = (await download).suggestedFilename();
    if (name !== 'fetch-output.json') throw new Error(`The file is called ${name}`);
    console.log(`        the longest task in the editor took ${inEditor.toFixed(0)} ms`);
    await assertWithin(page, 'A task of the editor', inEditor, MAX_TASK_MS);
    assertClean('10 MB');
    await context.close();
  },
};
