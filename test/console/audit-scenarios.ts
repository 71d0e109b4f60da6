import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../support/server';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account } from './seed';

export const AUDIT_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'the audit log shows what has changed, is verified and exported'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    await api.call('POST', '/api/v1/team/service-accounts', { name: 'deploy', role: 'member' });
    const { data } = await api.call<{ data: { id: string; kind: string }[] }>('GET', '/api/v1/team/members');
    const id = data.find(({ kind }) => kind === 'service')?.id;
    await api.call('PUT', `/api/v1/team/members/${id}/role`, { role: 'viewer' });
    const context = await browser.newContext({ acceptDownloads: true });
    const { page, assertClean } = await watchedPage(context);
    try {
      await page.goto(`${url}/console/audit#token=${token}`);
      await page.getByRole('button', { name: 'member.role' }).click();
      const panel = page.getByRole('region', { name: /^member\.role/ });
      await panel.getByText('Before: member').waitFor();
      await panel.getByText('After: viewer').waitFor();
      await panel.getByRole('button', { name: 'All about this target' }).click();
      await page.getByRole('button', { name: 'service_account.create' }).waitFor();
      await page.getByRole('button', { name: 'Verify the log' }).click();
      await page.getByText(/The log is as it was written: \d+ events/).waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as CSV' }).click(),
      ]);
      const lines = readFileSync(await file.path(), 'utf8');
      if (!lines.includes('member.role') || lines.includes('login.succeed'))
        throw new Error(`The export is not what the filters show: ${lines.slice(0, 500)}`);
      assertClean('audit log');
    } finally {
      await context.close();
    }
  },

  async 'the audit stream is set up, paused and removed'({ browser, url }) {
    const { token } = await account(url);
    for (const [theme, width] of [
      ['light', 1400],
      ['dark', 390],
    ] as const) {
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
      const { page, assertClean } = await watchedPage(context);
      try {
        await page.goto(`${url}/console/audit#token=${token}`);
        await page.getByRole('button', { name: 'Set up a stream' }).click();
        // No server listens there, so every event waits, and the card says why.
        await page.getByLabel('Address of your webhook').fill('http://127.0.0.1:9/audit');
        await page.getByRole('button', { name: 'Set up', exact: true }).click();
        await page.getByText('shown this once').waitFor();
        await page.getByText('Failing', { exact: true }).waitFor();
        await page.screenshot({ path: join(SCREENSHOTS, `audit-stream-${theme}-${width}.png`), fullPage: true });
        const found = await violations(page);
        if (found.length > 0) throw new Error(found.join('\n'));
        await page.getByRole('button', { name: 'Pause', exact: true }).click();
        await page.getByText('Paused', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Resume', exact: true }).click();
        await page.getByRole('button', { name: 'Remove', exact: true }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
        await page.getByText('No stream is set up.').waitFor();
        assertClean('audit stream');
      } finally {
        await context.close();
      }
    }
  },
};
