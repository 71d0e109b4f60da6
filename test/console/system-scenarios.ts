import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { Page } from 'playwright-core';
import { Api } from '../support/server';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { type ConsolePage, visitPages } from './pages';
import { account, PASSWORD } from './seed';

/** In OPERATORS of the server of these tests. */
export const OPERATOR = 'operator@example.com';

const PAGES: readonly ConsolePage[] = [
  { name: 'system-hosts', path: '/system', ready: 'role=cell >> text=Alive' },
  { name: 'system-queues', path: '/system?show=queues', ready: 'role=cell >> text=Runs at a time' },
  { name: 'system-readiness', path: '/system?show=readiness', ready: 'text=Ready' },
  { name: 'system-keys', path: '/system?show=keys', ready: 'text=Former master keys' },
  { name: 'system-tenants', path: '/system?show=tenants', ready: 'role=cell >> text=free' },
  { name: 'system-log', path: '/system?show=log', ready: 'role=cell >> text=tenant.set_plan' },
].map((page) => ({ ...page, signedIn: true }));

/** The token of an operator. The server sends no mails, so the address is confirmed in the database. */
async function operatorToken(url: string, dataDir: string): Promise<string> {
  const slug = `operations-${Date.now()}`;
  const body = { tenant_slug: slug, tenant_name: 'Operations', email: OPERATOR, password: PASSWORD };
  const api = new Api(url);
  await api.ask('POST', '/api/v1/auth/register', body, { 'x-forwarded-for': '198.51.100.250' });
  const client = await MongoClient.connect(readFileSync(join(dataDir, 'url'), 'utf8').trim());
  try {
    const users = client.db().collection('users');
    await users.updateMany({ email: OPERATOR }, { $set: { email_verified_at: new Date() } });
  } finally {
    await client.close();
  }
  const login = { tenant_slug: slug, email: OPERATOR, password: PASSWORD };
  return (await api.call<{ token: string }>('POST', '/api/v1/auth/login', login)).token;
}

async function assertAccessible(page: Page, name: string): Promise<void> {
  const found = await violations(page);
  if (found.length > 0) throw new Error(`${name}:\n${found.join('\n')}`);
}

/** People who operate the installation. */
export const SYSTEM_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'an operator looks at the system, changes plan and limits of a tenant, suspends it, and no one else sees the page'({
    browser,
    url,
    dataDir,
  }) {
    const tenant = await account(url);
    const token = await operatorToken(url, dataDir);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console#token=${token}`);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'System' }).click();
    await page.getByRole('table', { name: 'Hosts' }).getByRole('button').first().click();
    await page.getByRole('region', { name: 'Executor' }).getByText('Runs in memory').waitFor();
    await page.getByRole('tab', { name: 'Tenants' }).click();
    await page.getByLabel('Search by slug, name or id').fill(tenant.slug);
    await page.getByRole('button', { name: tenant.slug }).click();
    const panel = page.getByRole('region', { name: 'Change the plan' });
    await panel.getByLabel('Plan', { exact: true }).selectOption('pro');
    await panel.getByLabel('Reason').fill('Contract 17');
    await panel.getByRole('button', { name: 'Change the plan' }).click();
    await page.getByText('The plan is changed').waitFor();
    await page.getByRole('cell', { name: 'pro' }).waitFor();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page
      .getByRole('cell', { name: /plan: free → pro · Contract 17/ })
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Tenants' }).click();
    await page.getByLabel('Search by slug, name or id').fill(tenant.slug);
    await page.getByRole('button', { name: tenant.slug }).click();
    await page.getByRole('button', { name: 'Suspend the tenant' }).click();
    const question = page.getByRole('dialog');
    await question.getByLabel('Reason').fill('Unpaid since May');
    await assertAccessible(page, 'system-suspend');
    await question.getByRole('button', { name: 'Suspend the tenant' }).click();
    await page.getByRole('cell', { name: 'suspended' }).waitFor();
    const limits = page.getByRole('region', { name: 'Limits of its own' });
    await limits.getByLabel('Limit', { exact: true }).selectOption('Active workflows');
    await limits.getByLabel('Value').fill('3');
    await limits.getByLabel('Note').fill('Contract 18');
    await limits.getByRole('button', { name: 'Set the limit' }).click();
    await limits.getByText('Contract 18').waitFor();
    await assertAccessible(page, 'system-limits');
    assertClean('system');

    const members = await browser.newContext({ viewport: { width: 390, height: 800 } });
    const member = await watchedPage(members);
    await member.page.goto(`${url}/console#token=${tenant.token}`);
    await member.page.getByText('Unpaid since May').waitFor();
    await assertAccessible(member.page, 'suspended');
    await member.page.goto(`${url}/console/usage`);
    await member.page.getByText('3 instead of 250').waitFor();
    await assertAccessible(member.page, 'agreed limits');
    member.assertClean('a suspended tenant');
    await members.close();

    await page.getByRole('button', { name: 'Reopen the tenant' }).click();
    await question.getByLabel('Reason').fill('Paid');
    await question.getByRole('button', { name: 'Reopen the tenant' }).click();
    await page.getByText('The tenant is open again').waitFor();
    assertClean('system');
    await context.close();

    const others = await browser.newContext();
    const other = await watchedPage(others);
    await other.page.goto(`${url}/console#token=${tenant.token}`);
    await other.page.getByRole('link', { name: 'Settings' }).first().waitFor();
    if ((await other.page.getByRole('link', { name: 'System' }).count()) > 0)
      throw new Error('The navigation of a tenant has the page of operators');
    await other.page.goto(`${url}/console/system`);
    await other.page.getByText('There is nothing at this address').waitFor();
    other.assertClean('system of a tenant');
    await others.close();
    await visitPages({ browser, url, token, fresh: token }, PAGES);
  },
};
