import { join } from 'node:path';
import { Api } from '../support/server';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account } from './seed';

/** The model of these tests repeats the object after "Answer". */
const PROMPT = 'Answer {"of":"{{ trigger.text }}"}';

export const PLAYGROUND_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'two prompts are compared in the playground, and one becomes a workflow'({ browser, url }) {
    const { token } = await account(url);
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/playground#token=${token}`);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Write a prompt').waitFor();
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).fill(PROMPT);
    await page.getByLabel('Data of the trigger, as JSON').fill('{ "text": "tides"');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('Data of the trigger, as JSON').fill('{ "text": "tides" }');
    await page.getByRole('button', { name: 'Ask' }).click();
    const first = page.getByRole('region', { name: /^Answer to Prompt( A)?$/ });
    await first.getByText('{"of":"tides"}').waitFor();
    await first.getByText(/\d+ tokens in, \d+ out/).waitFor();
    await page.getByRole('button', { name: 'Compare with another' }).click();
    const second = page.getByRole('region', { name: 'Answer to Prompt B' });
    await second.getByText('The answer appears here.').waitFor();
    await first.getByText('{"of":"tides"}').waitFor();
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).nth(1).fill('Say hello');
    await page.getByRole('textbox', { name: 'Temperature' }).nth(1).fill('3');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('A number from 0 to 2').waitFor();
    await page.getByRole('textbox', { name: 'Temperature' }).nth(1).fill('0.5');
    await page.getByRole('button', { name: 'Ask' }).click();
    await second.getByText('I have nothing to say.').waitFor();
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1400, 390]) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(SCREENSHOTS, `playground-${theme}-${width}.png`), fullPage: true });
        const found = await violations(page);
        if (found.length > 0) throw new Error(found.join('\n'));
      }
    await page.setViewportSize({ width: 1400, height: 900 });
    // An expression that cannot be evaluated is named, and the model is not asked.
    await page.getByRole('textbox', { name: 'Prompt', exact: true }).nth(1).fill('{{ nonsense( }}');
    await page.getByRole('button', { name: 'Ask' }).click();
    await second.getByText(/^The prompt: /).waitFor();
    await page.getByRole('button', { name: 'Remove Prompt B' }).click();
    await page.getByRole('button', { name: 'Use in a workflow' }).click();
    await page.waitForURL('**/console/workflows/*');
    const api = new Api(url);
    api.token = token;
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { dsl } = await api.call<{ dsl: { steps: unknown } }>('GET', `/api/v1/workflows/${id}`);
    const steps = JSON.stringify(dsl.steps);
    if (steps !== JSON.stringify([{ id: 'answer', type: 'llm', config: { prompt: PROMPT } }]))
      throw new Error(`The workflow has ${steps}`);
    assertClean('the playground');
    await context.close();
  },
};
