import { readFileSync } from 'node:fs';
import { Api } from '../support/server';
import { type Scene, watchedPage } from './browser';
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
};
