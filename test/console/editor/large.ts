import type { Page } from 'playwright-core';
import { type Scenario, stageOf } from './stage';

const MAX_OPEN_MS = 1_000;
const MAX_EDIT_MS = 50;

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
    if (opened > MAX_OPEN_MS) throw new Error(`The editor took ${opened.toFixed(0)} ms to open 500 steps`);
    if (median > MAX_EDIT_MS) throw new Error(`An edit took ${median.toFixed(0)} ms: ${edits.join(', ')}`);
    assertClean('500 steps');
    await context.close();
  },
};
