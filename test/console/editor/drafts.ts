import type { Page } from 'playwright-core';
import { canvas, card, draftOf, expectSame, liveOf, panel, save, saved, type Scenario, stageOf, states } from './stage';

const step = (id: string, message: string) => ({ id, type: 'log', config: { message } });
const WORKFLOW = {
  id: 'sample',
  trigger: { type: 'http', config: {} },
  steps: [
    { id: 'each', type: 'foreach', config: { items: [1] }, steps: [step('inner', 'Item')] },
    step('first', 'One'),
    step('second', 'Two'),
  ],
};

const message = (page: Page) => page.getByLabel('Message', { exact: true });
const messagesOf = (dsl: unknown): string[] =>
  [...JSON.stringify(dsl).matchAll(/"message":"([^"]*)"/g)].map(([, text]) => text ?? '');

async function publish(page: Page, text = ''): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).first().click();
  const region = panel(page, 'Publish');
  await region.getByLabel('Message').fill(text);
  await region.getByRole('button', { name: 'Publish', exact: true }).click();
}

/** Documents that are saved, published, discarded, kept and merged. */
export const DRAFTS: Readonly<Record<string, Scenario>> = {
  async 'a draft is saved, published and undone'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}?step=first`);
    await message(page).fill('Ready');
    await states(page).getByText('Not saved').waitFor();
    await save(page);
    await states(page).getByText('Draft', { exact: true }).waitFor();
    await page.reload();
    await message(page).waitFor();
    expectSame('the message of the draft', await message(page).inputValue(), 'Ready');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Changed').first().waitFor();
    await page.keyboard.press('Escape');
    await publish(page, 'A better message');
    await states(page).getByText('No draft').waitFor();
    expectSame('what is live', messagesOf(await liveOf(api, id)), ['Item', 'Ready', 'Two']);
    // A removed step comes back by undo, and leaving without saving asks.
    await card(page, 'each').click();
    await canvas(page).press('Delete');
    await card(page, 'inner').waitFor({ state: 'detached' });
    await page.keyboard.press('ControlOrMeta+z');
    await card(page, 'inner').waitFor();
    await saved(page);
    // A step is dragged out of its loop.
    await card(page, 'inner').dragTo(page.getByRole('button', { name: 'Add a step to steps, place 2', exact: true }));
    await page.locator('#step-steps-1-', { hasText: 'inner' }).waitFor();
    await page.getByRole('link', { name: 'Runs' }).first().click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Cancel' }).click();
    assertClean('a draft');
    await context.close();
  },

  async 'a draft is discarded, and comes back by undo'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}?step=first`);
    await message(page).fill('Changed');
    await save(page);
    await page.getByRole('button', { name: 'Publish' }).click();
    await panel(page, 'Publish').getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await states(page).getByText('No draft').waitFor();
    await saved(page);
    expectSame('the draft', await draftOf(api, id), null);
    await card(page, 'first').click();
    expectSame('the message', await message(page).inputValue(), 'One');
    await canvas(page).press('ControlOrMeta+z');
    await states(page).getByText('Not saved').waitFor();
    await save(page);
    expectSame('the draft', messagesOf(await draftOf(api, id)), ['Item', 'Changed', 'Two']);
    expectSame('what is live', await liveOf(api, id), WORKFLOW);
    assertClean('a discarded draft');
    await context.close();
  },

  async 'changes of a closed tab are restored, and merged with what was saved since'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const first = await open(`/workflows/${id}?step=first`);
    await message(first.page).fill('Unsaved');
    await states(first.page).getByText('Not saved').waitFor();
    // The page is closed as the browser does it at its end: without the question.
    await first.page.close({ runBeforeUnload: false });
    const second = await open(`/workflows/${id}?step=second`, { beside: first });
    await second.page.getByText('changes of this workflow that were never saved').waitFor();
    expectSame('the message', await message(second.page).inputValue(), 'Two');
    // Someone else saves before they are restored.
    await api.ask('PUT', `/api/v1/workflows/${id}/draft`, {
      dsl: { ...WORKFLOW, steps: [...WORKFLOW.steps, step('third', 'Three')] },
    });
    await second.page.reload();
    await second.page.getByRole('button', { name: 'Restore' }).click();
    await states(second.page).getByText('Not saved').waitFor();
    await save(second.page);
    expectSame('the draft', messagesOf(await draftOf(api, id)), ['Item', 'Unsaved', 'Two', 'Three']);
    await second.page.reload();
    await message(second.page).waitFor();
    if (await second.page.getByText('that were never saved').isVisible()) throw new Error('Saved changes are offered');
    second.assertClean('a closed tab');
    await first.context.close();
  },

  async 'two tabs edit one workflow, and save and publish in every order'(scene) {
    const { api, open, create } = await stageOf(scene);
    // `a` and `b` save, `A` and `B` publish: every order in which each saves before it publishes.
    for (const order of ['abAB', 'abBA', 'baAB', 'baBA', 'aAbB', 'bBaA']) {
      const id = await create(WORKFLOW, order);
      const tabs = {
        a: await open(`/workflows/${id}?step=first`),
        b: await open(`/workflows/${id}?step=second`),
      };
      await message(tabs.a.page).fill('Mine');
      await message(tabs.b.page).fill('Theirs');
      for (const act of order) {
        const { page } = tabs[act.toLowerCase() as 'a' | 'b'];
        const isSave = act === act.toLowerCase();
        for (;;) {
          if (isSave) await page.keyboard.press('ControlOrMeta+s');
          else await publish(page);
          const merge = page.getByRole('button', { name: 'Take the merged document' });
          const done = states(page).getByText(isSave ? 'Saved' : 'No draft', { exact: true });
          await merge.or(done).first().waitFor();
          if (!(await merge.isVisible())) break;
          await merge.click();
          await merge.waitFor({ state: 'detached' });
          // The merged document may be what the other tab has published.
          if (await page.getByRole('button', { name: 'Publish', exact: true }).first().isDisabled()) break;
        }
        if (isSave) await saved(page);
      }
      const found = [await liveOf(api, id), await draftOf(api, id)].map(messagesOf);
      expectSame(`${order}: the live document and the draft`, found, [['Item', 'Mine', 'Theirs'], []]);
      for (const [name, tab] of Object.entries(tabs)) {
        // The differences of a draft are asked for that the other tab has published meanwhile.
        tab.assertClean(`${order}, tab ${name}`, ['412', '/draft/diff']);
        await tab.context.close();
      }
      await api.call('PUT', `/api/v1/workflows/${id}/disable`);
    }
  },

  async 'a conflict that is closed stays until the next save'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}?step=first`);
    const theirs = { ...WORKFLOW, description: 'Theirs' };
    await api.call('PUT', `/api/v1/workflows/${id}/draft`, { dsl: theirs });
    await message(page).fill('Mine');
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByText('Someone else has saved').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Someone else has saved').waitFor({ state: 'detached' });
    expectSame('the draft', await draftOf(api, id), theirs);
    await page.keyboard.press('ControlOrMeta+s');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await save(page);
    expectSame('the draft', messagesOf(await draftOf(api, id)), ['Item', 'Mine', 'Two']);
    assertClean('a conflict', ['412']);
    await context.close();
  },

  async 'a save while the server is killed is repeated by the user'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}?step=first`);
    await message(page).fill('Before the kill');
    const killed = scene.restart();
    await page.keyboard.press('ControlOrMeta+s');
    await killed;
    // Either the server was reached before the kill, or the user is told that it was not.
    const told = page.locator('.toast-danger');
    await told
      .or(states(page).getByText('Saved', { exact: true }))
      .first()
      .waitFor();
    await message(page).fill('After the kill');
    await save(page);
    expectSame('the draft', messagesOf(await draftOf(api, id)), ['Item', 'After the kill', 'Two']);
    assertClean('a kill', [
      'ERR_CONNECTION',
      'ERR_EMPTY_RESPONSE',
      'ERR_INCOMPLETE_CHUNKED_ENCODING',
      'Failed to fetch',
      '412',
    ]);
    await context.close();
  },
};
