import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Scene, watchedPage } from './browser';
import { account } from './seed';

export const KNOWLEDGE_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a knowledge base is made, filled with files and a page, searched, changed and deleted'({ browser, url }) {
    let isDown = true;
    const pages = createServer((_request, response) => {
      response.writeHead(isDown ? 404 : 200, { 'content-type': 'text/plain' });
      response.end(isDown ? '' : 'The lease of the office ends in May.');
    });
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(pages.address() as AddressInfo).port}/lease.txt`;
    const context = await browser.newContext();
    try {
      const { token } = await account(url);
      const { page, assertClean } = await watchedPage(context);
      await page.goto(`${url}/console/knowledge#token=${token}`);
      await page.getByRole('button', { name: 'New knowledge base' }).first().click();
      await page.getByLabel('Name').fill('Handbook');
      await page.getByLabel('Tokens of a part').fill('50');
      await page.getByLabel('Tokens that two parts share').fill('10');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('No documents yet').waitFor();

      // By drag and drop, several at a time; one of them is empty.
      const dropped = await page.evaluateHandle(() => {
        const files = new DataTransfer();
        files.items.add(new File(['# Holidays\n\nEveryone has 28 days of holiday a year.'], 'holidays.md'));
        files.items.add(new File(['# Lunch\n\nLunch is at noon on all days of work.'], 'lunch.md'));
        files.items.add(new File([], 'empty.md'));
        return files;
      });
      await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer: dropped });
      const rows = page.getByRole('table', { name: 'Documents' });
      const state = (name: string, text: string) =>
        rows.getByRole('row').filter({ hasText: name }).getByText(text, { exact: true }).waitFor();
      // The events of the workspace tell the page.
      await state('holidays.md', 'Ready');
      await state('lunch.md', 'Ready');
      await page.getByText('The file is empty').waitFor();
      await page.getByRole('button', { name: 'Dismiss empty.md' }).click();

      // A page that cannot be fetched says why, and is tried again by hand.
      await page.getByRole('button', { name: 'Add a web page' }).click();
      await page.getByLabel('Address').fill(address);
      await page.getByLabel('Name').fill('Lease');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await state('Lease', 'Failed');
      await rows.getByRole('button', { name: 'Lease' }).click();
      const panel = page.getByRole('region', { name: 'Lease' });
      await panel.getByRole('alert').getByText('404').waitFor();
      isDown = false;
      await panel.getByRole('button', { name: 'Try again' }).click();
      await panel.getByText('The lease of the office ends in May.').waitFor();
      await panel.getByRole('button', { name: 'Close the panel' }).click();

      await page.getByRole('tab', { name: 'Search' }).click();
      await page.getByLabel('Question').fill('days of holiday');
      await page.getByRole('button', { name: 'Search', exact: true }).last().click();
      const first = page.getByRole('list', { name: 'Hits' }).getByRole('listitem').first();
      await first.getByRole('row', { name: /^Words \(BM25\) 1 / }).waitFor();
      await first.getByRole('row', { name: /^Fused 1 1\.000/ }).waitFor();
      await first.getByRole('button', { name: 'holidays.md' }).click();
      await page.getByRole('region', { name: 'holidays.md' }).getByText('tokens', { exact: false }).first().waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Delete the document' }).click();
      await page.getByRole('tab', { name: 'Documents' }).click();
      await rows.getByText('holidays.md').waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Settings' }).click();
      await page.getByLabel('Name').fill('Rules');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Rules' }).waitFor();
      await page.getByRole('button', { name: 'Delete Rules' }).click();
      await page.getByRole('button', { name: 'Delete the knowledge base' }).click();
      await page.getByText('No knowledge bases yet').waitFor();
      // The empty file was answered with 400.
      assertClean('knowledge', ['400']);
    } finally {
      await context.close();
      pages.close();
    }
  },
};
