import { join } from 'node:path';
import { Api } from '../support/server';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account } from './seed';

const DSL = { id: 'pay', trigger: { type: 'manual' }, steps: [{ id: 'note', type: 'set', config: { n: 1 } }] };
const PATH = '/api/v1/folders/Finance/access';

export const FOLDER_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a workflow is moved into a folder, and the folder is restricted'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    await api.call('POST', '/api/v1/workflows', { name: 'Pay salaries', dsl: DSL });
    await api.call('POST', '/api/v1/workflows', { name: 'Greet visitors', dsl: DSL });
    await api.call('POST', '/api/v1/team/service-accounts', { name: 'payroll', role: 'member' });
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/workflows#token=${token}`);
    await page.getByRole('button', { name: 'Actions of Pay salaries' }).click();
    await page.getByRole('button', { name: 'Move to a folder' }).click();
    await page.getByLabel('Folder').fill('Finance');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByText('Pay salaries is in Finance').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Folder' }).selectOption('Finance');
    await page.getByRole('link', { name: 'Greet visitors' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Access' }).click();
    const panel = page.getByRole('region', { name: 'Access to Finance' });
    await panel.getByText('No members are named.').waitFor();
    await panel.getByRole('switch').check({ force: true });
    await panel.getByLabel('E-mail address of a member').fill('unknown@example.com');
    await panel.getByRole('button', { name: 'Add' }).click();
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('The workspace has no member unknown@example.com').waitFor();
    await panel.getByRole('button', { name: 'Remove unknown@example.com' }).click();
    await panel.getByLabel('E-mail address of a member').fill('service:payroll');
    await panel.getByLabel('E-mail address of a member').press('Enter');
    await panel.getByLabel('Right of service:payroll').selectOption('Run');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Access to Finance is changed').waitFor();
    const { access, grants, revision } = await api.call<{
      access: string;
      grants: { name: string; right: string }[];
      revision: number;
    }>('GET', PATH);
    if (access !== 'restricted' || grants.length !== 1 || grants[0]?.right !== 'run')
      throw new Error(`The rules are ${JSON.stringify({ access, grants })}`);
    await page.reload();
    await panel.getByText('service:payroll').waitFor();
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1400, 390]) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(SCREENSHOTS, `folder-access-${theme}-${width}.png`) });
        const found = await violations(page);
        if (found.length > 0) throw new Error(found.join('\n'));
      }
    await page.setViewportSize({ width: 1400, height: 900 });
    // Another person has changed the rules meanwhile.
    await api.call('PUT', PATH, { access: 'open', grants: [], revision });
    await panel.getByLabel('Right of service:payroll').selectOption('Manage');
    await panel.getByRole('button', { name: 'Save' }).click();
    await panel.getByText('have changed since').waitFor();
    await panel.getByRole('button', { name: 'Show the rules as they are now' }).click();
    await panel.getByText('No members are named.').waitFor();
    await panel.getByRole('button', { name: 'Remove the rules' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the rules' }).click();
    await page.getByText('Finance has no rules of its own').waitFor();
    assertClean('rights on folders', ['409', '400']);
    await context.close();
  },
};
