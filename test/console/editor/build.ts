import type { Locator, Page } from 'playwright-core';
import { canvas, draftOf, expectSame, idOf, save, type Scenario, stageOf } from './stage';

/** What is built in three ways. */
const WORKFLOW = {
  id: 'order-intake',
  name: 'Order intake',
  trigger: { type: 'http', config: {} },
  steps: [
    {
      id: 'foreach',
      type: 'foreach',
      config: { items: '{{ trigger.body.orders }}' },
      steps: [{ id: 'request', type: 'http.request', config: { connection: 'Shop', url: '/orders' } }],
    },
    {
      id: 'branch',
      type: 'branch',
      cases: [
        {
          when: '{{ trigger.body.total > 100 }}',
          steps: [{ id: 'approval', type: 'approval', config: { message: 'Go on?' } }],
        },
      ],
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

const typeRow = (page: Page, type: string): Locator =>
  page
    .locator('section button', {
      has: page.locator('code', { hasText: new RegExp(`^${type.replaceAll('.', '\\.')}$`) }),
    })
    .first();

/** With the mouse for everything but the letters of texts. */
async function byMouse(page: Page): Promise<void> {
  const add = async (place: Locator, type: string): Promise<void> => {
    await place.click();
    await typeRow(page, type).click();
  };
  const fill = async (label: string, text: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).click({ clickCount: 3 });
    await page.getByLabel(label, { exact: true }).fill(text);
  };
  const slot = (where: string): Locator => page.getByRole('button', { name: `Add a step to ${where}`, exact: true });
  const empty = (key: string): Locator => page.locator(`#step-${key}`);
  await fill('Name of the workflow', 'Order intake');
  await add(empty('steps'), 'foreach');
  await fill('Items', '{{ trigger.body.orders }}');
  await add(empty('steps-0-steps'), 'http.request');
  await fill('URL', '/orders');
  await page.getByLabel(/^Connection/).selectOption({ label: 'Shop' });
  await add(slot('steps, place 2'), 'branch');
  await fill('Case 1', '{{ trigger.body.total > 100 }}');
  await add(empty('steps-1-cases-0-steps'), 'approval');
  await fill('Question', 'Go on?');
  await add(slot('steps, place 3'), 'try');
  await add(empty('steps-2-steps'), 'log');
  await fill('Message', 'Done');
  await add(empty('steps-2-catch'), 'log');
  await fill('Message', 'Failed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
}

/** Presses Tab until a control with this label has the focus. */
async function tabTo(page: Page, label: string, key = 'Tab'): Promise<void> {
  for (let count = 0; count < 60; count++) {
    await page.keyboard.press(key);
    const name = await page.evaluate(() => {
      const element = document.activeElement;
      const labelled =
        element instanceof HTMLTextAreaElement ||
        element instanceof HTMLInputElement ||
        element instanceof HTMLSelectElement;
      const text = labelled ? element.labels?.[0]?.firstChild?.textContent : undefined;
      return text ?? element?.getAttribute('aria-label') ?? '';
    });
    if (name === label) return;
  }
  throw new Error(`The key ${key} does not reach ${label}`);
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
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type(text);
  };
  /** Back to the canvas, and along it until a step or an empty list is the active one. */
  const goTo = async (id: string, key: string): Promise<void> => {
    await keyboard.press('Escape');
    await canvas(page).waitFor();
    for (let count = 0; count < 20; count++) {
      const active = await canvas(page).getAttribute('aria-activedescendant');
      if (active === `step-${id}`) return;
      await keyboard.press(key);
    }
    throw new Error(`The key ${key} does not reach ${id}`);
  };
  await fill('Name of the workflow', 'Order intake');
  await tabTo(page, 'Steps');
  await keyboard.press('Enter');
  await pick('foreach');
  await fill('Items', '{{ trigger.body.orders }}');
  await goTo('steps-0-steps', 'ArrowDown');
  await keyboard.press('Enter');
  await pick('http.request');
  await fill('URL', '/orders');
  await tabTo(page, 'Connection');
  await keyboard.type('Shop');
  await goTo('steps-0-', 'ArrowUp');
  await keyboard.press('a');
  await pick('branch');
  await fill('Case 1', '{{ trigger.body.total > 100 }}');
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
  await keyboard.press('ControlOrMeta+s');
}

async function byCode(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Code', exact: true }).click();
  await page.getByLabel('Code of the workflow').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(JSON.stringify(WORKFLOW));
  await page.getByText('Valid', { exact: true }).waitFor();
  await page.keyboard.press('ControlOrMeta+s');
}

/** The same workflow, built in each way. */
export const BUILD: Readonly<Record<string, Scenario>> = {
  async 'a workflow by mouse, by keyboard and in code'(scene) {
    const { api, open } = await stageOf(scene);
    const connection = { connector: 'http', name: 'Shop', credentials: { base_url: 'https://shop.example.com' } };
    await api.call('POST', '/api/v1/connections', connection);
    for (const [way, build] of Object.entries({ byMouse, byKeyboard, byCode })) {
      const { page, assertClean, context } = await open('/workflows/new');
      await build(page);
      const id = await idOf(page);
      const { name, version, enabled } = await api.call('GET', `/api/v1/workflows/${id}`);
      expectSame(`${way}: the new workflow`, [name, version, enabled], ['Order intake', 0, false]);
      expectSame(`${way}: the draft`, await draftOf(api, id), WORKFLOW);
      // It stays in its editor, and what is edited next is saved into the same draft.
      await page.getByRole('button', { name: 'Undo (Ctrl Z)' }).click();
      await page.getByRole('button', { name: 'Redo (Ctrl Shift Z)' }).click();
      await save(page);
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('region', { name: 'Publish' }).getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Live: version 1').waitFor();
      expectSame(`${way}: the live document`, (await api.call('GET', `/api/v1/workflows/${id}`)).dsl, WORKFLOW);
      assertClean(way);
      await context.close();
    }
  },
};
