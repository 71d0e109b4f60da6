import type { Locator, Page } from 'playwright-core';
import type { JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { canvas, card, draftOf, expectSame, panel, save, type Scenario, stageOf } from './stage';

const step = (id: string) => ({ id, type: 'log', config: { message: id } });
const WORKFLOW = {
  id: 'sample',
  trigger: { type: 'http', config: {} },
  steps: ['first', 'second', 'third'].map(step),
};

const YAML = `id: from-yaml
trigger:
  type: http
  config: {}
steps:
  - id: greet
    type: log
    config:
      message: "Hello {{ trigger.body.name }}"
`;
const FROM_YAML = {
  id: 'from-yaml',
  trigger: { type: 'http', config: {} },
  steps: [{ id: 'greet', type: 'log', config: { message: 'Hello {{ trigger.body.name }}' } }],
};

/** Pastes as the browser does with a key, whatever the clipboard of the machine has. */
const paste = (target: Locator, text: string): Promise<void> =>
  target.evaluate((element, given) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', given);
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, text);

const code = (page: Page): Locator => page.getByLabel('Code of the workflow');

/** Puts what is offered for the word at the caret into the code. */
async function complete(page: Page, word: string, label: RegExp): Promise<void> {
  await page.keyboard.type(word);
  await page.locator('.cm-tooltip-autocomplete .cm-completionLabel', { hasText: label }).first().click();
}

const idsOf = (dsl: JsonObject | null): unknown[] => ((dsl?.steps ?? []) as JsonObject[]).map(({ id }) => id);

/** Steps that are selected, copied, wrapped and found, and documents that are typed and pasted. */
export const STEPS: Readonly<Record<string, Scenario>> = {
  async 'steps are selected, copied, pasted, wrapped, unwrapped and found by keys'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}`);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const saved = async (): Promise<JsonObject | null> => {
      await save(page);
      return draftOf(api, id);
    };
    await card(page, 'first').click();
    await canvas(page).press('Shift+ArrowDown');
    await canvas(page).press('ControlOrMeta+c');
    await canvas(page).press('ArrowDown');
    await canvas(page).press('ControlOrMeta+v');
    await page.getByRole('option').nth(4).waitFor();
    expectSame('the pasted steps', idsOf(await saved()), ['first', 'second', 'third', 'first_2', 'second_2']);
    // Two that follow each other, by the mouse.
    await card(page, 'second').click();
    await card(page, 'third').click({ modifiers: ['ControlOrMeta'] });
    await canvas(page).press('w');
    await panel(page, 'Wrap the selected steps').getByRole('button', { name: /^Try/ }).click();
    await page.locator('#step-steps-1-steps-1-', { hasText: 'third' }).waitFor();
    const wrapped = (await saved()) as { steps: { id: string; type: string; steps?: JsonObject[] }[] };
    expectSame(
      'the block',
      [wrapped.steps[1]?.type, wrapped.steps[1]?.steps?.map((each) => each.id)],
      ['try', ['second', 'third']],
    );
    await canvas(page).press('u');
    await page.locator('#step-steps-2-', { hasText: 'third' }).waitFor();
    expectSame('without the block', idsOf(await saved()), ['first', 'second', 'third', 'first_2', 'second_2']);
    // Steps that do not follow each other are not wrapped, and the reason is said.
    await card(page, 'first').click();
    await page.locator('#step-steps-2-').click({ modifiers: ['ControlOrMeta'] });
    await canvas(page).press('w');
    await panel(page, 'Wrap the selected steps').getByRole('button', { name: /^Try/ }).click();
    await page.getByText('Select steps that follow each other').waitFor();
    await canvas(page).press('ControlOrMeta+a');
    await canvas(page).press('ControlOrMeta+x');
    await page.getByText('Add the first step', { exact: true }).waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await card(page, 'third').waitFor();
    await canvas(page).press('/');
    await page.keyboard.type('third');
    await page.keyboard.press('Enter');
    await panel(page, 'third').waitFor();
    await page.waitForURL('**step=third**');
    assertClean('steps');
    await context.close();
  },

  async 'YAML is pasted onto the canvas and into the code'(scene) {
    const { api, open, create } = await stageOf(scene);
    for (const view of ['canvas', 'code'] as const) {
      const id = await create(WORKFLOW, view);
      const { page, assertClean, context } = await open(`/workflows/${id}${view === 'code' ? '?view=code' : ''}`);
      if (view === 'canvas') await canvas(page).focus();
      await paste(view === 'canvas' ? canvas(page) : code(page), YAML);
      const found = view === 'canvas' ? card(page, 'greet') : code(page).getByText('"greet"');
      await found.waitFor();
      await save(page);
      expectSame(`the draft by the ${view}`, await draftOf(api, id), FROM_YAML);
      if (view === 'canvas') {
        await paste(canvas(page), 'no steps at all');
        await page.getByText('The clipboard has no steps').waitFor();
      }
      assertClean(`YAML onto the ${view}`);
      await context.close();
    }
  },

  async 'the code completes types, settings and expressions'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(WORKFLOW);
    const { page, assertClean, context } = await open(`/workflows/${id}?view=code`);
    await code(page).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(
      '{\n"id": "sample",\n"trigger": { "type": "http", "config": {} },\n"steps": [\n{ "id": "first", "type": "log", "config": { "message": "first" } },\n{ "id": "second",\n"type": "',
    );
    await complete(page, 'lo', /^log$/);
    await page.keyboard.insertText('", "config": {\n"');
    // The type of the step is known once the document is valid again, so its settings are offered by the keys of steps.
    await page.keyboard.insertText('message": "{{ steps.');
    await complete(page, 'f', /^steps\.first/);
    await page.keyboard.insertText(' }}" } }\n] }');
    await page
      .getByText('Valid', { exact: true })
      .or(page.getByRole('button', { name: /warning/ }))
      .first()
      .waitFor();
    await save(page);
    const dsl = (await draftOf(api, id)) as { steps: { type: string; config: { message: string } }[] };
    const second = dsl.steps[1];
    if (second?.type !== 'log' || !second.config.message.startsWith('{{ steps.first'))
      throw new Error(`The completed step is ${JSON.stringify(second)}`);
    assertClean('completion');
    await context.close();
  },

  async 'a large canvas has a minimap, a small one has none'(scene) {
    const { open, create } = await stageOf(scene);
    const small = await open(`/workflows/${await create(WORKFLOW)}`);
    const map = (page: Page): Locator => page.locator('svg[class*="minimap"]');
    await card(small.page, 'third').waitFor();
    if (await map(small.page).isVisible()) throw new Error('A small canvas has a minimap');
    small.assertClean('a small canvas');
    await small.context.close();
    const steps = Array.from({ length: 60 }, (_, number) => step(`s${number}`));
    const { page, assertClean, context } = await open(`/workflows/${await create({ ...WORKFLOW, steps }, 'Long')}`);
    await map(page).waitFor();
    const { height = 0 } = (await map(page).boundingBox()) ?? {};
    await map(page).click({ position: { x: 20, y: height - 12 } });
    await card(page, 's59').waitFor();
    await map(page).click({ position: { x: 20, y: 10 } });
    await until('the beginning is in sight', () => card(page, 's0').isVisible());
    assertClean('a minimap');
    await context.close();
  },
};
