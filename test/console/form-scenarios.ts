import { join } from 'node:path';
import { Api } from '../support/server';
import { until } from '../support/until';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account } from './seed';

const INPUTS = {
  type: 'object',
  required: ['name', 'email', 'urgency', 'agreed'],
  properties: {
    name: { type: 'string', title: 'Your name', minLength: 2 },
    email: { type: 'string', format: 'email', title: 'E-mail address', description: 'We answer there.' },
    urgency: { enum: ['today', 'this week', 'some time'], title: 'How urgent is it?' },
    rooms: { type: 'array', items: { enum: ['kitchen', 'bath', 'hall'] }, title: 'Rooms' },
    since: { type: 'string', format: 'date', title: 'Since when?' },
    people: { type: 'integer', minimum: 1, title: 'People in the flat' },
    details: { type: 'string', maxLength: 2_000, title: 'Details' },
    report: { type: 'object', format: 'file', contentMediaType: 'application/pdf', title: 'Report' },
    agreed: { type: 'boolean', const: true, title: 'I have read the terms' },
  },
};

const STEPS = [
  { id: 'read', type: 'file_read', config: { path: '{{ trigger.report.path }}', response: 'text' } },
  { id: 'note', type: 'set', config: { number: 'R-{{ length(trigger.name) }}', size: '{{ steps.read.size }}' } },
];

const CONFIG = {
  title: 'Report a damage',
  description: 'Tell us what is broken. We answer within a day.',
  submit: 'Report',
  confirmation: 'Thank you. Your number is {{ output.number }}, with a file of {{ output.size }} bytes.',
};

/** Creates a workflow with a form. */
export async function seedForm(url: string, token: string, dsl: object): Promise<{ id: string; form: string }> {
  const api = new Api(url);
  api.token = token;
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Damage', dsl });
  const { url: form } = await api.call<{ url: string }>('GET', `/api/v1/workflows/${id}/form`);
  return { id, form };
}

/** Longer than the time for which a page counts as sent by a program. */
const PERSON_MS = 1_600;

/** People who fill in forms. */
export const FORM_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a form on a phone starts a run'({ browser, url }) {
    const { token } = await account(url);
    const dsl = { id: 'damage', trigger: { type: 'form', config: CONFIG }, inputs: INPUTS, steps: STEPS };
    const { form, id } = await seedForm(url, token, dsl);
    for (const [theme, width] of [
      ['light', 390],
      ['dark', 390],
      ['light', 1400],
      ['dark', 1400],
    ] as const) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
      const { page, faults } = await watchedPage(context);
      const look = async (name: string): Promise<void> => {
        await page.screenshot({ path: join(SCREENSHOTS, `form-${name}-${theme}-${width}.png`), fullPage: true });
        const found = [...(await violations(page)), ...faults(['favicon.ico', 'status of 422'])];
        if (found.length > 0) throw new Error(`${name}, ${theme}, ${width}:\n${found.join('\n')}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wide > 0) throw new Error(`${name} is ${wide} px too wide at ${width}`);
      };
      await page.goto(form);
      const opened = Date.now();
      await page.getByLabel('Your name').fill('Ada');
      await look('empty');
      await page.getByLabel('E-mail address').fill('ada@example');
      await page.getByLabel('How urgent is it?').selectOption('this week');
      await page.getByLabel('bath').check();
      await page.getByLabel('Since when?').fill('2026-03-01');
      await page.getByLabel('People in the flat').fill('0');
      await page.getByLabel('Details').fill('First line\nSecond line');
      await page.getByLabel('I have read the terms').check();
      // What the server says, rather than the browser.
      await page.locator('form').evaluate((element) => element.setAttribute('novalidate', ''));
      await page.getByRole('button', { name: 'Report', exact: true }).click();
      await page.getByRole('alert').waitFor();
      await look('faults');
      const details = await page.getByLabel('Details').inputValue();
      if (details !== 'First line\nSecond line') throw new Error(`The text has become ${JSON.stringify(details)}`);
      await page.getByRole('alert').getByRole('link', { name: 'People in the flat' }).click();
      await page.getByLabel('People in the flat').fill('2');
      await page.getByLabel('Report').setInputFiles({
        name: 'report.pdf',
        mimeType: 'application/pdf',
        buffer: Buffer.from('%PDF-1.7'),
      });
      // A page that is sent sooner than a person could is shown again.
      await until('a person could have filled in the page', () => Date.now() - opened > PERSON_MS);
      await page.getByRole('button', { name: 'Report', exact: true }).click();
      await page.getByText('Your number is R-3, with a file of 8 bytes.').waitFor();
      await look('sent');
      await context.close();
    }
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/workflows/${id}?panel=triggers#token=${token}`);
    await page.getByText(form).first().waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, 'form-trigger-panel.png') });
    const found = await violations(page);
    if (found.length > 0) throw new Error(found.join('\n'));
    assertClean('the panel of triggers');
    await context.close();
  },

  async 'a form of two pages on a phone, and the run that waits for the second'({ browser, url }) {
    const { token } = await account(url);
    const fields = {
      required: ['street'],
      properties: { street: { type: 'string', title: 'Street' }, floor: { type: 'integer', title: 'Floor' } },
    };
    const dsl = {
      id: 'order',
      trigger: { type: 'form', config: { title: 'Order', confirmation: 'We deliver to {{ output.street }}.' } },
      inputs: { required: ['item'], properties: { item: { type: 'string', title: 'Item' } } },
      steps: [
        {
          id: 'address',
          type: 'wait_for_form',
          config: { title: 'Where to, with your {{ trigger.item }}?', description: 'We ship today.', fields },
        },
        { id: 'done', type: 'set', config: { street: '{{ steps.address.street }}' } },
      ],
    };
    const { form } = await seedForm(url, token, dsl);
    const context = await browser.newContext({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' });
    const { page, faults } = await watchedPage(context);
    /** A fast person is asked to send a page once more. */
    const send = (button: string, next: string): Promise<true> =>
      until(`the page shows ${next}`, async () => {
        if (await page.getByText(next).isVisible()) return true;
        const sent = page.getByRole('button', { name: button });
        if (await sent.isVisible()) await sent.click();
        await page.waitForLoadState();
        return null;
      });
    await page.goto(form);
    await page.getByLabel('Item').fill('tea');
    await send('Send', 'Where to, with your tea?');
    await page.screenshot({ path: join(SCREENSHOTS, 'form-second-page-dark-390.png'), fullPage: true });
    const found = [...(await violations(page)), ...faults(['favicon.ico', 'status of 422'])];
    if (found.length > 0) throw new Error(found.join('\n'));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (wide > 0) throw new Error(`The page is ${wide} px too wide`);

    const api = new Api(url);
    api.token = token;
    const { data } = await api.call<{ data: { id: string }[] }>('GET', '/api/v1/executions?limit=1');
    const desk = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const console = await watchedPage(desk);
    await console.page.goto(`${url}/console/runs/${data[0]?.id}#token=${token}`);
    await console.page.getByText('Waits for the form address').first().waitFor();
    const link = await console.page.getByRole('link', { name: 'Open the form' }).getAttribute('href');
    if (link === null || !link.includes('/forms/steps/')) throw new Error(`The link is ${String(link)}`);
    await console.page.screenshot({ path: join(SCREENSHOTS, 'run-waits-for-form-light-1400.png') });
    console.assertClean('run');
    await desk.close();

    await page.getByLabel('Street').fill('High Street');
    await send('Continue', 'We deliver to High Street.');
    await context.close();
  },
};
