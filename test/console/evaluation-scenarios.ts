import { Api } from '../support/server';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { account } from './seed';

/** Sorts mails by words. Takes a while for each row; the answer to the customer must not be sent in evaluations. */
const sorter = (words: readonly string[]) => ({
  id: 'sorter',
  trigger: { type: 'http' },
  steps: [
    { id: 'pause', type: 'delay', config: { for: '600ms' } },
    {
      id: 'sort',
      type: 'set',
      config: {
        queue: `{{ ${words.map((word) => `contains(lower(trigger.text), '${word}')`).join(' || ')} ? 'billing' : 'support' }}`,
      },
    },
    { id: 'reply', type: 'http_request', config: { method: 'POST', url: 'http://127.0.0.1:1/reply' } },
  ],
  output: { queue: '{{ steps.sort.queue }}', sent: '{{ steps.reply.body.sent }}' },
});

const CSV = [
  'id,input.text,expected.queue,tags',
  'm1,Please refund my order,billing,real',
  'm2,I want my money back,billing,real',
  ...Array.from({ length: 10 }, (_, n) => `n${n},The app crashes at start ${n},support,real`),
  'm9,Hello,support,made up',
].join('\n');

/** People who compare versions of a workflow. */
export const EVALUATION_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a data set is uploaded, a version and a draft are evaluated over it, and compared'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const flow = await api.call<{ id: string }>('POST', '/api/v1/workflows', {
      name: 'Mail sorter',
      dsl: sorter(['refund']),
    });
    await api.call('POST', `/api/v1/workflows/${flow.id}/versions`, { message: 'By refund' });
    await api.call('PUT', `/api/v1/workflows/${flow.id}/draft`, { dsl: sorter(['refund', 'money']) });
    const context = await browser.newContext({ viewport: { width: 1400, height: 1000 } });
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/datasets#token=${token}`);
    await page.getByRole('button', { name: 'New data set' }).first().click();
    await page.getByLabel('Name').fill('Mails');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Mails' }).waitFor();
    const file = { name: 'mails.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
    await page.getByLabel('File with rows').setInputFiles(file);
    await page.getByText('13 rows added, 0 replaced').waitFor();
    await page.getByRole('table', { name: 'Rows' }).getByRole('button', { name: 'm1', exact: true }).waitFor();

    const start = async (name: string, version: string): Promise<void> => {
      await page.getByRole('link', { name: 'Evaluate' }).click();
      await page.getByLabel('Document').selectOption(version);
      await page.getByLabel('Rows', { exact: true }).selectOption('Tag real (12)');
      await page.getByLabel(/^Name/).first().fill(name);
      await page.getByLabel(/^Compare/).fill('output.queue');
      await page.getByLabel(/^With/).fill('expected.queue');
      await page.getByLabel(/^Conditions/).fill('score >= 0.95');
      await page.getByLabel('Steps that change something').selectOption('Need a pinned output');
      await page.getByRole('button', { name: 'Pin an output' }).click();
      await page.getByLabel('Step', { exact: true }).selectOption('reply');
      await page.getByLabel('Output', { exact: true }).fill('{"body":{"sent":true}}');
      await page.getByLabel('Rows at a time').fill('2');
      const found = await violations(page);
      if (found.length > 0) throw new Error(`new evaluation:\n${found.join('\n')}`);
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor();
    };
    const progress = async (): Promise<number> =>
      Number(await page.getByRole('meter', { name: 'Rows' }).getAttribute('aria-valuenow'));

    await start('By refund', 'Version 1: By refund');
    // It is watched while it runs: rows come in without a click.
    await page.waitForFunction(
      ([from]) => Number(document.querySelector('[role=meter]')?.getAttribute('aria-valuenow')) > (from ?? 0),
      [await progress()],
    );
    await page.getByText('Gates failed').waitFor();
    await page.getByText('is 0.9167').waitFor();

    await page.getByLabel('Outcome').selectOption('Not passed');
    await page.getByRole('table', { name: 'Rows' }).getByRole('button', { name: 'm2', exact: true }).click();
    const panel = page.getByRole('region', { name: 'Row m2' });
    await panel.getByText('support').first().waitFor();
    await panel.getByRole('link', { name: 'Open the run' }).click();
    await page.waitForURL('**/console/runs/*');
    await page.getByText('Mail sorter').first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Mails' }).click();
    await page.getByRole('heading', { name: 'Mails', exact: true }).waitFor();

    await start('By refund or money', 'Draft');
    await page.getByText('Passed', { exact: true }).first().waitFor();
    await page.getByText('is 1', { exact: true }).waitFor();
    await page.getByLabel('Compare with').selectOption('By refund (91.7%)');
    await page.getByRole('heading', { name: 'Better: 1' }).waitFor();
    await page.getByRole('heading', { name: 'Worse: 0' }).waitFor();
    await page.getByText('+8.3').first().waitFor();
    await page.getByText('May be chance').first().waitFor();

    await page.goto(`${url}/console/evaluations?workflow=${flow.id}`);
    await page.getByRole('img', { name: 'Scores from 91.7% to 100%' }).waitFor();
    assertClean('evaluations');
    await context.close();
  },
};
