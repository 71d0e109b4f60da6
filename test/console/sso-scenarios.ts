import assert from 'node:assert/strict';
import { startProvider } from '../support/sso/provider';
import { Api } from '../support/server';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { account, PASSWORD } from './seed';

export const SSO_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'an owner sets up single sign-on, tests it against a provider, and makes a SCIM token'({ browser, url }) {
    const { token, slug, email } = await account(url);
    const redirect_uris = [`${url}/api/v1/auth/sso/callback`];
    const provider = await startProvider([
      { client_id: 'console', client_secret: 'a secret of the client', redirect_uris },
    ]);
    const context = await browser.newContext();
    try {
      await provider.account({ sub: 'bea', email: 'bea@example.com', email_verified: true, groups: ['ops', 'all'] });
      const { page, assertClean } = await watchedPage(context);
      await page.goto(`${url}/console/settings#token=${token}`);
      await page.getByRole('link', { name: 'Single sign-on' }).click();
      await page.getByText(redirect_uris[0] as string).waitFor();
      await page.getByLabel('Issuer').fill(provider.issuer);
      await page.getByLabel('Client id').fill('console');
      await page.getByLabel('Client secret').fill('a secret of the client');
      await page.getByRole('button', { name: 'Add a group' }).click();
      await page.getByLabel('Group 1', { exact: true }).fill('ops');
      await page.getByLabel('Role of group 1').selectOption('admin');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings are saved').waitFor();

      const [tab] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('button', { name: 'Start a test' }).click(),
      ]);
      await tab.waitForURL('**/console/single-sign-on?test=*');
      await page.getByText('Could sign in').waitFor();
      await page.getByText('bea@example.com (would get an account)').waitFor();
      await page.getByText('admin, by the groups in the answer').waitFor();
      await page.getByRole('region', { name: 'Received claims' }).getByText('["ops","all"]').waitFor();
      await page.getByText('no user can sign in by it yet').waitFor();
      const found = await violations(page);
      if (found.length > 0) throw new Error(found.join('\n'));
      if ((await page.content()).includes('a secret of the client'))
        throw new Error('The page shows the client secret');

      await page.getByRole('button', { name: 'New SCIM token' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create' }).click();
      const scim = await dialog.locator('code').innerText();
      await dialog.getByRole('button', { name: 'I have copied it' }).click();
      const api = new Api(url);
      api.token = scim;
      const { status } = await api.ask('GET', '/scim/v2/Users');
      if (status !== 200) throw new Error(`The token is answered with ${status}`);
      api.token = token;
      const { data } = await api.call<{ data: { email: string }[] }>('GET', '/api/v1/team/members');
      const emails = data.map(({ email }) => email);
      if (emails.includes('bea@example.com')) throw new Error('The test has created a user');

      await page.getByLabel('Required domains').fill('Corp.Example\nmüller.de');
      await page.getByLabel('Members may sign in by it').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('On', { exact: true }).waitFor();
      await page.reload();
      assert.equal(await page.getByLabel('Required domains').inputValue(), 'corp.example\nxn--mller-kva.de');
      // Where there are no settings yet, the API says so with 404.
      assertClean('single sign-on', ['/api/v1/sso/config']);

      const visitors = await browser.newContext({ viewport: { width: 390, height: 800 } });
      const visitor = await watchedPage(visitors);
      const form = visitor.page.getByRole('form', { name: 'Sign in' });
      const providerButton = form.getByRole('link', { name: 'Continue with single sign-on' });
      await visitor.page.goto(`${url}/console/sign-in`);
      await form.getByLabel('Workspace').fill(slug);
      await form.getByText('or with a password').waitFor();
      await form.getByLabel('E-mail address').fill('guest@elsewhere.example');
      await form.getByLabel('Password', { exact: true }).fill('wrong password');
      await form.getByRole('button', { name: 'Sign in', exact: true }).click();
      await form.getByText('is wrong').waitFor();
      await form.getByLabel('E-mail address').fill('bea@corp.example');
      await form.getByLabel('E-mail address').press('Tab');
      await form.getByRole('button', { name: 'Sign in as an owner with a password' }).waitFor();
      assert.equal(await form.getByLabel('Password', { exact: true }).count(), 0);
      assert.equal(await providerButton.evaluate((button) => button === document.activeElement), true);
      const required = await violations(visitor.page);
      if (required.length > 0) throw new Error(required.join('\n'));
      await form.getByRole('button', { name: 'Sign in as an owner with a password' }).click();
      await form.getByLabel('E-mail address').fill(email);
      await form.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await form.getByRole('button', { name: 'Sign in', exact: true }).click();
      await visitor.page.waitForURL('**/console/');
      await visitors.close();
    } finally {
      await context.close();
      await provider.close();
    }
  },
};
