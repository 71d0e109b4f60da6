import { Api } from '../support/server';
import { type Scene, watchedPage } from './browser';
import { account, PASSWORD, seedRuns } from './seed';

export const MEMBER_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a member is invited, becomes a viewer who sees no control that changes anything, and is removed'({
    browser,
    url,
  }) {
    const { token } = await account(url);
    const { workflow, failed } = await seedRuns(url, token);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/members#token=${token}`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail address').fill('grace@example.com');
    await page.getByRole('region', { name: 'Invite a person' }).getByRole('button', { name: 'Invite' }).click();
    const shownLink = page.getByRole('region', { name: 'Invited' }).locator('code');
    const link = new URL(await shownLink.innerText());
    await page.getByRole('button', { name: 'Done' }).click();
    const invites = page.getByRole('list', { name: 'Invitations' });
    await invites.getByText('grace@example.com').waitFor();

    const theirs = await browser.newContext();
    const grace = await watchedPage(theirs);
    await grace.page.goto(`${url}${link.pathname}${link.search}`);
    await grace.page.getByLabel('New password', { exact: true }).fill(PASSWORD);
    await grace.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await grace.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    await page.reload();
    await page.getByRole('button', { name: /grace@example.com/ }).click();
    const panel = page.getByRole('region', { name: /^grace@example.com/ });
    await panel.getByLabel('Role').selectOption('viewer');
    await page.getByText('grace@example.com is viewer now').waitFor();

    await grace.page.goto(`${url}/console/workflows`);
    await grace.page.getByRole('link', { name: 'Refund' }).first().waitFor();
    const seen = (name: string): Promise<number> => grace.page.getByRole('button', { name, exact: true }).count();
    const shown = [await seen('Import'), await grace.page.getByRole('link', { name: 'New workflow' }).count()];
    await grace.page.goto(`${url}/console/runs/${failed}`);
    await grace.page.getByText('Price import').first().waitFor();
    shown.push(await seen('Retry'), await seen('Cancel'));
    await grace.page.goto(`${url}/console/workflows/${workflow}`);
    await grace.page.getByText('View only').waitFor();
    shown.push(await seen('Save'), await seen('Publish'), await seen('Try'));
    await grace.page.goto(`${url}/console/approvals`);
    await grace.page.getByText('Nothing waits for you').waitFor();
    await grace.page.getByRole('link', { name: 'Members' }).click();
    await grace.page.getByText('Admins see the members').waitFor();
    if (shown.some((count) => count > 0)) throw new Error(`A viewer sees controls that change something: ${shown}`);

    await panel.getByRole('button', { name: 'Remove from the workspace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove from the workspace' }).click();
    await page.getByText('grace@example.com is removed').waitFor();
    const api = new Api(url);
    api.token = token;
    const { data } = await api.call<{ data: object[] }>('GET', '/api/v1/team/members');
    if (data.length !== 1) throw new Error(`There are ${data.length} members`);
    assertClean('members');
    grace.assertClean('viewer', ['401']);
    await context.close();
    await theirs.close();
  },
};
