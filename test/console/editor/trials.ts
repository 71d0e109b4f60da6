import type { JsonObject } from '../../../lib/json';
import { card, draftOf, expectSame, liveOf, save, type Scenario, stageOf } from './stage';

const WORKFLOW = {
  id: 'sums',
  trigger: { type: 'http', config: {} },
  steps: [
    { id: 'order', type: 'set', config: { total: '{{ trigger.body.total }}' } },
    { id: 'note', type: 'log', config: { message: 'x' } },
    { id: 'never', type: 'set', config: { a: 1 } },
  ],
};

/** The document is run as it is in the editor. */
export const TRIALS: Readonly<Record<string, Scenario>> = {
  async 'a draft is tried, and its values used'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}`);
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
    // A member of the output is put into the message of a later step, and its value is below it while one types.
    await card(page, 'note').click();
    const message = page.getByLabel('Message', { exact: true });
    const live = page.locator('[aria-label="Value with the sample"]');
    await message.fill('Total: ');
    await message.press('End');
    await page.getByText('Insert a value').click();
    await page.getByRole('button', { name: /^steps\.order\.total/ }).click();
    expectSame('the message', await message.inputValue(), 'Total: {{ steps.order.total }}');
    await live.filter({ hasText: 'Total: 42' }).waitFor();
    await message.fill('');
    await page
      .getByRole('listitem')
      .filter({ hasText: /^steps\.order\.total/ })
      .dragTo(message);
    expectSame('the message after a drag', await message.inputValue(), '{{ steps.order.total }}');
    await message.fill('{{ steps.order.total * 2 }}');
    await live.filter({ hasText: '84' }).waitFor();
    await message.fill('{{ steps.order.none.deeper }}');
    await live.filter({ hasText: 'does not exist' }).waitFor();
    await message.fill('Total: {{ steps.order.total }}');
    await live.filter({ hasText: 'Total: 42' }).waitFor();
    // One step on its own, whose output is pinned.
    await card(page, 'order').click();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByRole('button', { name: 'Test this step' }).click();
    await page.getByRole('heading', { name: 'Output of the test' }).waitFor();
    await page.getByRole('button', { name: 'Pin this output' }).first().click();
    await page.getByText('The output is pinned').waitFor();
    await save(page);
    const [first] = ((await draftOf(api, id)) as { steps: JsonObject[] }).steps;
    expectSame('the pinned output', first?.pin, { total: 42 });
    expectSame('what is live', await liveOf(api, id), WORKFLOW);
    assertClean('a trial');
    await context.close();
  },
};
