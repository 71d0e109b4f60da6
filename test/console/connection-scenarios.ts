import { join } from 'node:path';
import { Api } from '../support/server';
import { startProvider } from '../support/sso/provider';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account } from './seed';

const CLIENT_SECRET = 'console-client-secret';

export const CONNECTION_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'an OAuth app is registered, and an account connected, tested, connected again and deleted'({ browser, url }) {
    const redirect = `${url}/api/v1/oauth/callback`;
    const client = {
      client_id: 'console',
      client_secret: CLIENT_SECRET,
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
    };
    const provider = await startProvider([client], {
      scopes: ['openid', 'email', 'offline_access'],
      accessSeconds: 3_600,
    });
    const context = await browser.newContext();
    try {
      await provider.account({ sub: 'grace', email: 'grace@example.com', email_verified: true });
      const { token } = await account(url);
      const { page, assertClean } = await watchedPage(context);
      await page.goto(`${url}/console/connections#token=${token}`);
      await page.getByRole('button', { name: 'Connect an account' }).first().click();
      await page.getByLabel('Search providers').fill('no such provider');
      await page.getByText('No provider matches').waitFor();
      await page.getByRole('button', { name: 'Another provider' }).click();
      await page.getByText(redirect).waitFor();
      await page.getByLabel('Name').fill('Harbour');
      await page.getByLabel('Client id').fill('console');
      await page.getByLabel('Authorization endpoint').fill('http://id.example.com/auth');
      await page.getByLabel('Token endpoint').fill(`${provider.issuer}/token`);
      await page.getByLabel('Revocation endpoint').fill(`${provider.issuer}/token/revocation`);
      await page.getByLabel('Client secret').fill(CLIENT_SECRET);
      await page.getByLabel('Scopes').fill('openid\nemail\noffline_access');
      await page.getByRole('button', { name: 'Register the app' }).click();
      await page.getByText('must be an https URL without a query').first().waitFor();
      await page.getByLabel('Authorization endpoint').fill(`${provider.issuer}/auth`);
      await page.getByRole('button', { name: 'Register the app' }).click();
      const app = page.getByRole('region', { name: 'Harbour' });
      await app.getByRole('button', { name: 'Connect an account' }).click();
      await page.getByText('The account is connected.').waitFor();
      const rows = page.getByRole('table', { name: 'Connections' });
      await rows.getByRole('button', { name: /^Harbour/ }).click();
      const panel = page.getByRole('region', { name: /^Harbour/ });
      await panel.getByRole('button', { name: 'Test' }).click();
      await page.getByText('There is no test for this provider').waitFor();
      await panel.getByRole('button', { name: 'Limits' }).click();
      const limits = page.getByRole('dialog', { name: 'Limits of Harbour' });
      await limits.getByLabel('Steps at one time').fill('5');
      await limits.getByLabel('Steps that begin in a period').fill('100');
      await limits.getByRole('button', { name: 'Change the limits' }).click();
      await limits.getByText('Give both the number of steps and their period').waitFor();
      const faults = await violations(page);
      if (faults.length > 0) throw new Error(faults.join('\n'));
      await page.screenshot({ path: join(SCREENSHOTS, 'connection-limits-dialog.png') });
      await limits.getByLabel('Period in seconds').fill('60');
      await limits.getByRole('button', { name: 'Change the limits' }).click();
      await panel.getByText('5 steps at a time, 100 steps in 1 min').waitFor();
      await page.screenshot({ path: join(SCREENSHOTS, 'connection-panel.png') });
      await panel.getByRole('button', { name: 'Limits' }).click();
      for (const name of ['Steps at one time', 'Steps that begin in a period', 'Period in seconds'])
        await limits.getByLabel(name).fill('');
      await limits.getByRole('button', { name: 'Change the limits' }).click();
      await panel.getByText('None', { exact: true }).waitFor();
      await panel.getByRole('button', { name: 'Reconnect' }).click();
      await page.getByText('The account is connected.').waitFor();
      const api = new Api(url);
      api.token = token;
      const { data } = await api.call<{ data: { state: string }[] }>('GET', '/api/v1/oauth/connections');
      if (data.length !== 1 || data[0]?.state !== 'ok') throw new Error(`The connections are ${JSON.stringify(data)}`);
      await rows.getByRole('button', { name: /^Harbour/ }).click();
      await panel.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete the connection' }).click();
      await page.getByText('No account is connected').waitFor();
      // The refused endpoint was answered with 400.
      assertClean('connections', ['400']);
      if ((await page.content()).includes(CLIENT_SECRET)) throw new Error('The page shows the client secret');
    } finally {
      await context.close();
      await provider.close();
    }
  },
};
