import { Api } from '../support/server';
import { type Scene, watchedPage } from './browser';
import { account, PASSWORD, seedRuns } from './seed';

export const MEMBER_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a service account gets a key, which is rotated and revoked'({ browser, url }) {
    const { token } = await account(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/members#token=${token}`);
    await page.getByRole('button', { name: 'New service account' }).click();
    await page.getByLabel('Name').fill('deploy');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const panel = page.getByRole('region', { name: /^service:deploy/ });
    await panel.getByRole('link', { name: 'Create a key for it' }).click();
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Pipeline');
    await dialog.getByLabel('It may').selectOption('read');
    await dialog.getByLabel('Belongs to').selectOption('service:deploy');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const api = new Api(url);
    const taken = async (): Promise<string> => {
      const value = await dialog.locator('code').innerText();
      await dialog.getByRole('button', { name: 'I have copied it' }).click();
      return value;
    };
    const first = await taken();
    api.token = first;
    const me = await api.call<{ email: string; scope: string }>('GET', '/api/v1/me');
    if (me.email !== 'service:deploy' || me.scope !== 'read') throw new Error(`The key is ${JSON.stringify(me)}`);
    await page.getByText('of service:deploy').waitFor();
    await page.getByRole('button', { name: 'Rotate Pipeline' }).click();
    await dialog.getByLabel('The value of now is accepted').selectOption('no longer');
    await dialog.getByRole('button', { name: 'Rotate the key' }).click();
    api.token = await taken();
    await api.call('GET', '/api/v1/me');
    const { status } = await new Api(url).ask('GET', '/api/v1/me', undefined, { authorization: `Bearer ${first}` });
    if (status !== 401) throw new Error(`The value of before the rotation is answered with ${status}`);
    await page.getByRole('button', { name: 'Revoke Pipeline' }).click();
    await dialog.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('The key is revoked').waitFor();
    assertClean('keys');
    await context.close();
  },

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
