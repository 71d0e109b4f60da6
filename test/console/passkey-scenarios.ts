import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { violationsBy } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account, PASSWORD } from './seed';

/** An authenticator of Chromium in the page, which verifies its user. */
async function addAuthenticator(context: BrowserContext, page: Page) {
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    session: cdp,
    verifies: (isUserVerified: boolean) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}

/** The page in both themes and widths, without violations of accessibility. */
async function pictures(page: Page, session: CDPSession, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [390, 1400]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), fullPage: true });
      const found = await violationsBy(session);
      if (found.length > 0) throw new Error(`${name} (${colorScheme}, ${width} px): ${found.join('\n')}`);
    }
  }
}

const signOut = async (page: Page, email: string): Promise<void> => {
  await page.getByRole('button', { name: new RegExp(email) }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL('**/console/sign-in');
};
const home = (page: Page): Promise<void> => page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

export const PASSKEY_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async passkeys({ browser, url: address }) {
    // Browsers offer passkeys at a name, not at a number.
    const url = address.replace('127.0.0.1', 'localhost');
    const { token, slug, email } = await account(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    const authenticator = await addAuthenticator(context, page);
    // Chromium's authenticator would choose a suggestion at once; the other scenario is about them.
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
    await page.goto(`${url}/console/settings#token=${token}`);
    await page.getByText('No passkeys yet.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog', { name: 'Recovery codes' }).waitFor();
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('not used yet').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('This device has a passkey of your account already.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).last().click();
    await page.getByRole('button', { name: /^Rename / }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Work laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: 'Work laptop' }).waitFor();
    await pictures(page, authenticator.session, 'settings-passkeys');

    await signOut(page, email);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
    await pictures(page, authenticator.session, 'sign-in-passkey');
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await home(page);

    await signOut(page, email);
    const remembered = await page.getByLabel('Workspace').inputValue();
    if (remembered !== slug) throw new Error(`The workspace that is remembered is ${remembered}`);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('button', { name: 'Continue with a passkey' }).waitFor();
    await pictures(page, authenticator.session, 'second-factor-passkey');
    await page.getByRole('button', { name: 'Continue with a passkey' }).click();
    await home(page);

    await page.goto(`${url}/console/settings`);
    await page.getByRole('button', { name: 'Remove Work laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No passkeys yet.').waitFor();
    // The passkey is left on the device, and refused.
    await signOut(page, email);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('it is not known here').waitFor();
    assertClean('passkeys', ['401']);
    await context.close();
  },

  async 'a passkey in the suggestions of the address'({ browser, url: address }) {
    const url = address.replace('127.0.0.1', 'localhost');
    const { token, email } = await account(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    const authenticator = await addAuthenticator(context, page);
    await page.goto(`${url}/console/settings#token=${token}`);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'I have stored them' }).click();
    // Chromium's authenticator chooses the suggestion as soon as there is one.
    await signOutAndEnter(page, email);
    await authenticator.verifies(false);
    await signOut(page, email);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('alert').getByText('The passkey was not used').waitFor();
    assertClean('suggestions', ['401']);
    await context.close();
  },
};

async function signOutAndEnter(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(email) }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await home(page);
}
