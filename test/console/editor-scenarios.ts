import type { Locator, Page } from 'playwright-core';
import { Api } from '../support/server';
import { type Scene, watchedPage } from './browser';
import { account } from './seed';

type Step = { id: string; type: string; [key: string]: unknown };

/** What is built in three ways. */
const WORKFLOW = {
  id: 'new-workflow',
  trigger: { type: 'http', config: {} },
  steps: [
    {
      id: 'foreach',
      type: 'foreach',
      config: { items: '{{ trigger.body.items }}' },
      steps: [{ id: 'http_request', type: 'http_request', config: { url: 'https://example.com/orders' } }],
    },
    {
      id: 'branch',
      type: 'branch',
      cases: [{ when: '{{ true }}', steps: [{ id: 'approval', type: 'approval', config: { message: 'Go on?' } }] }],
      else: [],
    },
    {
      id: 'try',
      type: 'try',
      steps: [{ id: 'log', type: 'log', config: { message: 'Done' } }],
      catch: [{ id: 'log_2', type: 'log', config: { message: 'Failed' } }],
      finally: [],
    },
  ],
};

const STATES = '[aria-label="State of the document"]';

async function open(url: string, path: string, token: string, browser: Scene['browser']) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const watched = await watchedPage(context);
  await watched.page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), token);
  await watched.page.goto(`${url}/console${path}`);
  await watched.page.getByRole('button', { name: 'Publish' }).waitFor();
  return { ...watched, context };
}

/** The document of a workflow that was created in the editor: canonical text, to compare. */
async function created(page: Page, api: Api): Promise<string> {
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.waitForURL((address) => !address.pathname.endsWith('/new'));
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { dsl } = await api.call<{ dsl: unknown }>('GET', `/api/v1/workflows/${id}`);
  return canonical(dsl);
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

const typeRow = (page: Page, type: string): Locator =>
  page.locator('section button', { has: page.locator('code', { hasText: new RegExp(`^${type}$`) }) }).first();

const card = (page: Page, id: string): Locator => page.locator(`[role="option"]:has-text("${id}")`).first();

async function byMouse(page: Page): Promise<void> {
  const add = async (place: Locator, type: string): Promise<void> => {
    await place.click();
    await typeRow(page, type).click();
  };
  const fill = async (label: string, text: string): Promise<void> => page.getByLabel(label, { exact: true }).fill(text);
  const slot = (where: string): Locator => page.getByRole('button', { name: `Add a step to ${where}`, exact: true });
  const empty = (key: string): Locator => page.locator(`#step-${key}`);
  await add(empty('steps'), 'foreach');
  await add(empty('steps-0-steps'), 'http_request');
  await fill('URL', 'https://example.com/orders');
  await add(slot('steps, place 2'), 'branch');
  await add(empty('steps-1-cases-0-steps'), 'approval');
  await fill('Question', 'Go on?');
  await add(slot('steps, place 3'), 'try');
  await add(empty('steps-2-steps'), 'log');
  await fill('Message', 'Done');
  await add(empty('steps-2-catch'), 'log');
  await fill('Message', 'Failed');
}

/** Presses Tab until a control with this label has the focus. */
async function tabTo(page: Page, label: string): Promise<void> {
  for (let count = 0; count < 40; count++) {
    await page.keyboard.press('Tab');
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      return element instanceof HTMLTextAreaElement || element instanceof HTMLInputElement
        ? (element.labels?.[0]?.textContent ?? element.getAttribute('aria-label') ?? '')
        : '';
    });
    if (name === label) return;
  }
  throw new Error(`The Tab key does not reach ${label}`);
}

async function byKeyboard(page: Page): Promise<void> {
  const { keyboard } = page;
  const pick = async (type: string): Promise<void> => {
    await page.getByLabel('Search the types of steps').waitFor();
    await keyboard.type(type);
    await keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Settings' }).waitFor();
  };
  const fill = async (label: string, text: string): Promise<void> => {
    await tabTo(page, label);
    await keyboard.type(text);
  };
  /** Back to the canvas, and along it until a step or an empty list is the active one. */
  const goTo = async (id: string, key: string): Promise<void> => {
    await keyboard.press('Escape');
    await page.getByRole('listbox', { name: 'Steps' }).waitFor();
    for (let count = 0; count < 20; count++) {
      const active = await page.getByRole('listbox', { name: 'Steps' }).getAttribute('aria-activedescendant');
      if (active === `step-${id}`) return;
      await keyboard.press(key);
    }
    throw new Error(`The key ${key} does not reach ${id}`);
  };
  await page.getByRole('listbox', { name: 'Steps' }).focus();
  await keyboard.press('Enter');
  await pick('foreach');
  await goTo('steps-0-steps', 'ArrowDown');
  await keyboard.press('Enter');
  await pick('http_request');
  await fill('URL', 'https://example.com/orders');
  await goTo('steps-0-', 'ArrowUp');
  await keyboard.press('a');
  await pick('branch');
  await goTo('steps-1-cases-0-steps', 'ArrowDown');
  await keyboard.press('Enter');
  await pick('approval');
  await fill('Question', 'Go on?');
  await goTo('steps-1-', 'ArrowUp');
  await keyboard.press('a');
  await pick('try');
  await goTo('steps-2-steps', 'ArrowDown');
  await keyboard.press('Enter');
  await pick('log');
  await fill('Message', 'Done');
  await goTo('steps-2-catch', 'ArrowDown');
  await keyboard.press('Enter');
  await pick('log');
  await fill('Message', 'Failed');
}

async function byCode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Code', exact: true }).click();
  await page.getByLabel('Code of the workflow').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(WORKFLOW));
}

/** What `npm run test:console` checks of the editor. */
export const EDITOR_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a workflow by mouse, by keyboard and in code'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const wanted = canonical(WORKFLOW);
    for (const [way, build] of Object.entries({ byMouse, byKeyboard, byCode })) {
      const { page, assertClean, context } = await open(url, '/workflows/new', token, browser);
      await build(page);
      const document = await created(page, api);
      if (document !== wanted) throw new Error(`${way} has built\n${document}\ninstead of\n${wanted}`);
      assertClean(way, ['404']);
      await context.close();
    }
  },

  async 'a draft is saved, published and undone'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Orders', dsl: WORKFLOW });
    const { page, assertClean, context } = await open(url, `/workflows/${id}?step=log`, token, browser);
    await page.getByLabel('Message', { exact: true }).fill('Ready');
    await page.locator(STATES).getByText('Not saved').waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator(STATES).getByText('Draft', { exact: true }).waitFor();
    await page.reload();
    await page.getByLabel('Message', { exact: true }).waitFor();
    if ((await page.getByLabel('Message', { exact: true }).inputValue()) !== 'Ready')
      throw new Error('The draft is gone');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Changed').first().waitFor();
    await page.getByLabel('Message', { exact: false }).last().fill('A better message');
    await page.getByRole('region', { name: 'Publish' }).getByRole('button', { name: 'Publish' }).click();
    await page.locator(STATES).getByText('No draft').waitFor();
    const { dsl } = await api.call<{ dsl: { steps: Step[] } }>('GET', `/api/v1/workflows/${id}`);
    if (!JSON.stringify(dsl).includes('Ready')) throw new Error('The draft was not published');
    // A removed step comes back by undo, and leaving without saving asks.
    await card(page, 'foreach').click();
    await page.keyboard.press('Delete');
    await card(page, 'http_request').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await card(page, 'http_request').waitFor();
    await page.locator(STATES).getByText('Saved', { exact: true }).waitFor();
    // A step is dragged out of its loop.
    await card(page, 'http_request').dragTo(
      page.getByRole('button', { name: 'Add a step to steps, place 2', exact: true }),
    );
    await page.locator('#step-steps-1-', { hasText: 'http_request' }).waitFor();
    await page.getByRole('link', { name: 'Runs' }).first().click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
    assertClean('a draft', ['412', '404']);
    await context.close();
  },

  async 'a draft is tried, and its values used'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const dsl = {
      id: 'sums',
      trigger: { type: 'http', config: {} },
      steps: [
        { id: 'order', type: 'set', config: { total: '{{ trigger.body.total }}' } },
        { id: 'note', type: 'log', config: { message: 'x' } },
        { id: 'never', type: 'set', config: { a: 1 } },
      ],
    };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Sums', dsl });
    const { page, assertClean, context } = await open(url, `/workflows/${id}`, token, browser);
    await card(page, 'note').click();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByRole('button', { name: 'Run to here' }).click();
    await page.getByLabel('Start with').fill('{"body": {"total": 42}}');
    await page.getByRole('button', { name: 'Run the trial' }).click();
    await page.getByText('Open the run').waitFor();
    await page.locator('#step-steps-1- [role="img"][aria-label="Completed"]').waitFor();
    if ((await page.locator('#step-steps-2- [aria-label="Completed"]').count()) > 0) {
      throw new Error('The trial went beyond the chosen step');
    }
    // A member of the output is put into the message of a later step.
    await card(page, 'note').click();
    const message = page.getByLabel('Message', { exact: true });
    await message.fill('Total: ');
    await message.press('End');
    await page.getByText('Insert a value').click();
    await page.getByRole('button', { name: /^steps\.order\.total/ }).click();
    if ((await message.inputValue()) !== 'Total: {{ steps.order.total }}') {
      throw new Error(`The value was inserted as ${await message.inputValue()}`);
    }
    await page.locator('[aria-label="Value with the sample"]', { hasText: 'Total: 42' }).waitFor();
    // One step on its own, whose output is pinned.
    await card(page, 'order').click();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByRole('button', { name: 'Test this step' }).click();
    await page.getByRole('heading', { name: 'Output of the test' }).waitFor();
    await page.getByRole('button', { name: 'Pin this output' }).first().click();
    await page.getByText('The output is pinned').waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator(STATES).getByText('Draft', { exact: true }).waitFor();
    const draft = await api.call<{ dsl: { steps: Step[] } }>('GET', `/api/v1/workflows/${id}/draft`);
    if (JSON.stringify(draft.dsl.steps[0]?.pin) !== '{"total":42}') throw new Error('The output was not pinned');
    const { dsl: live } = await api.call<{ dsl: unknown }>('GET', `/api/v1/workflows/${id}`);
    if (canonical(live) !== canonical(dsl)) throw new Error('A trial has changed the live workflow');
    assertClean('a trial', ['404']);
    await context.close();
  },

  async 'two tabs edit one workflow'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Orders', dsl: WORKFLOW });
    const first = await open(url, `/workflows/${id}?step=log`, token, browser);
    const second = await open(url, `/workflows/${id}?step=approval`, token, browser);
    await first.page.getByLabel('Message', { exact: true }).fill('Mine');
    await first.page.keyboard.press('ControlOrMeta+s');
    await first.page.locator(STATES).getByText('Draft', { exact: true }).waitFor();
    await second.page.getByLabel('Question', { exact: true }).fill('Theirs?');
    await second.page.keyboard.press('ControlOrMeta+s');
    await second.page.getByText('Someone else has saved').waitFor();
    await second.page.getByRole('button', { name: 'Take the merged document' }).click();
    await second.page.getByRole('button', { name: 'Save', exact: true }).click();
    await second.page.locator(STATES).getByText('Saved', { exact: true }).waitFor();
    const { dsl } = await api.call<{ dsl: unknown }>('GET', `/api/v1/workflows/${id}/draft`);
    const text = JSON.stringify(dsl);
    if (!text.includes('Mine') || !text.includes('Theirs?')) throw new Error(`A change is lost: ${text}`);
    first.assertClean('first tab', ['404']);
    second.assertClean('second tab', ['404', '412']);
    await first.context.close();
    await second.context.close();
  },

  async 'a workflow of 500 steps is edited quickly'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const steps = Array.from({ length: 50 }, (_, outer) => ({
      id: `each${outer}`,
      type: 'foreach',
      config: { items: [1] },
      steps: Array.from({ length: 9 }, (_item, inner) => ({
        id: `s${outer}_${inner}`,
        type: 'set',
        config: { n: inner },
      })),
    }));
    const dsl = { id: 'large', trigger: { type: 'http', config: {} }, steps };
    await api.call('POST', '/api/v1/workflows', { name: 'Large', dsl });
    const { page, assertClean, context } = await open(url, '/workflows/new', token, browser);
    await page.goto(`${url}/console/workflows`);
    await page.getByRole('link', { name: 'Large' }).waitFor();
    const opened = await page.evaluate(async () => {
      const began = performance.now();
      [...document.querySelectorAll('a')].find((link) => link.textContent === 'Large')?.click();
      while (document.querySelector('[role="option"][aria-setsize="500"]') === null) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return performance.now() - began;
    });
    const edits = await page.evaluate(async () => {
      const list = document.querySelector<HTMLElement>('[role="listbox"]');
      list?.focus();
      const times: number[] = [];
      for (let count = 0; count < 8; count++) {
        // A step goes, then it comes back: all that is below moves.
        const edit = count % 2 === 0 ? { key: 'Delete' } : { key: 'z', ctrlKey: true };
        const began = performance.now();
        list?.dispatchEvent(new KeyboardEvent('keydown', { ...edit, bubbles: true }));
        await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
        times.push(performance.now() - began);
        await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      }
      return times.toSorted((a, b) => a - b);
    });
    const median = edits[Math.floor(edits.length / 2)] ?? 0;
    console.log(`        opened in ${opened.toFixed(0)} ms; an edit took ${median.toFixed(0)} ms`);
    if (opened > 1_000) throw new Error(`The editor took ${opened.toFixed(0)} ms to open 500 steps`);
    if (median > 50) throw new Error(`An edit took ${median.toFixed(0)} ms: ${edits.join(', ')}`);
    assertClean('500 steps', ['404']);
    await context.close();
  },
};
