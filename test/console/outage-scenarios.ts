import { type Scene, watchedPage } from './browser';
import { account } from './seed';

/** What `npm run test:console` checks of a console whose server is away. */
export const OUTAGE_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'parts of the console that could not be loaded are loaded again, with their style sheets'({ browser, url }) {
    const { token } = await account(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    const refused = new Set<string>();
    await page.route(/(shell-notices|settings-page)-[^/]*\.(js|css)$/, (route) => {
      const { pathname } = new URL(route.request().url());
      if (refused.has(pathname)) return route.continue();
      refused.add(pathname);
      return route.abort();
    });
    await page.goto(`${url}/console/settings#token=${token}`);
    await page.getByText('Member since').waitFor();
    const isStyled = await page.evaluate(() =>
      // The rules of a sheet that could not be loaded are out of reach.
      [...document.styleSheets].some(({ href, cssRules }) => href?.includes('/settings-page-') && cssRules.length > 0),
    );
    if (!isStyled) throw new Error('The page lacks its style sheet');
    const kinds = [...refused].map((path) => path.replace(/.*\/(.*)-.{8}\./, '$1.')).toSorted();
    if (kinds.join() !== 'settings-page.css,settings-page.js,shell-notices.js')
      throw new Error(`Refused: ${kinds.join()}`);
    assertClean('parts that could not be loaded', ['ERR_FAILED']);
    await context.close();
  },

  async 'server killed'({ browser, url, restart }) {
    const { token } = await account(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console#token=${token}`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    const killed = restart();
    await page.getByRole('link', { name: 'Settings' }).click();
    await killed;
    await page.getByText('Member since').waitFor({ timeout: 30_000 });
    // The last is of the stream of events, which is cut off.
    assertClean('server killed', [
      'ERR_CONNECTION',
      'ERR_EMPTY_RESPONSE',
      'ERR_SOCKET_NOT_CONNECTED',
      'Failed to fetch',
      'ERR_INCOMPLETE_CHUNKED_ENCODING',
    ]);
    await context.close();
  },
};
