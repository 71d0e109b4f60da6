import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { Api } from '../support/server';
import { LOGO } from '../support/images';
import { until } from '../support/until';
import { violations } from './accessibility';
import { type Scene, watchedPage } from './browser';
import { SCREENSHOTS } from './pages';
import { account } from './seed';
import { holdReplies } from './slow-model';

const STEP = {
  id: 'answer',
  type: 'llm',
  config: {
    provider: 'openai-compatible',
    messages: "{{ flatten([trigger.history, [{ role: 'user', content: trigger.message }]]) }}",
  },
};

/** Parts of messages of the browser about the icon, which neither site has. */
const NO_ICON = ['favicon.ico'];

interface Seeded {
  readonly api: Api;
  readonly slug: string;
  readonly workflow: string;
}

let chats = 0;

async function seedChat(url: string, origins: readonly string[] = []): Promise<Seeded> {
  const { token } = await account(url);
  const api = new Api(url);
  api.token = token;
  await api.call('PUT', '/api/v1/tenant/branding', { name: 'Whale Books', color: '#ffcc00', logo: LOGO });
  const dsl = { id: 'bookshop', trigger: { type: 'chat' }, steps: [STEP] };
  const { id: workflow } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'Bookshop', dsl });
  const slug = `bookshop-${process.pid}-${++chats}`;
  await api.call('POST', `/api/v1/workflows/${workflow}/chat-deployments`, {
    slug,
    title: 'Ask the bookshop',
    greeting: 'What are you looking for?',
    allowed_origins: origins,
    // All visitors of the scenarios have one address.
    rate_limit: { per_minute: 6_000, burst: 1_000 },
  });
  return { api, slug, workflow };
}

interface Shop {
  readonly origin: string;
  close(): void;
}

/** A web site with a policy that allows the scripts and frames of one other host, and nothing else. */
async function openShop(url: string, slug: () => string): Promise<Shop> {
  const policy = `default-src 'none'; script-src ${url}; frame-src ${url}; require-trusted-types-for 'script'; form-action 'none'; base-uri 'none'`;
  const server = createServer((request, response) => {
    const script =
      request.url === '/plain'
        ? ''
        : `<script src="${url}/widget.js" data-chat="${slug()}" data-label="Ask us" data-color="#ffcc00" async></script>`;
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
    response.end(
      `<!doctype html><html lang="en"><head><title>Shop</title>${script}</head><body><main><h1>A shop</h1><p>Whales of all kinds.</p></main></body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Another host than 127.0.0.1, so that the chat is of another site.
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return { origin, close: () => server.close() };
}

const globalsOf = (page: Page): Promise<string[]> => page.evaluate(() => Object.getOwnPropertyNames(window));

/** Whether the field for messages has the focus, inside of the panel too. */
const isFieldFocused = (page: Page): Promise<boolean> =>
  page
    .frames()
    .at(-1)
    ?.evaluate(() => document.hasFocus() && document.activeElement?.id === 'text') ?? Promise.resolve(false);

const isButtonFocused = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.tagName === 'BUTTON');

/** Not what is read out, which is the same text once more. */
const messagesOf = (chat: Page | FrameLocator) => chat.locator('#messages');

async function write(chat: Page | FrameLocator, text: string): Promise<void> {
  // While a reply is being made, no other message is taken.
  await chat.locator('button:not([aria-disabled="true"])', { hasText: 'Send' }).waitFor();
  await chat.getByLabel('Your message').fill(text);
  await chat.getByLabel('Your message').press('Enter');
}

/** Opens the widget by the keyboard, and talks. */
async function talkOnSite(context: BrowserContext, shop: Shop): Promise<void> {
  const { page, assertClean } = await watchedPage(context);
  await page.goto(`${shop.origin}/plain`);
  const before = new Set(await globalsOf(page));
  await page.goto(shop.origin);
  const open = page.getByRole('button', { name: 'Ask us' });
  await open.waitFor();
  const added = (await globalsOf(page)).filter((name) => !before.has(name));
  if (added.length > 0) throw new Error(`The widget has set ${added.join(', ')}`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const chat = page.frameLocator('iframe');
  await chat.getByText('What are you looking for?').waitFor();
  await until('the field has the focus', () => isFieldFocused(page));
  const slow = holdReplies();
  await write(chat, 'Something about whales, slowly');
  await messagesOf(chat).getByText('Call me Ishmael.').waitFor();
  if ((await messagesOf(chat).getByText('You wrote').count()) > 0) throw new Error('The reply did not come in pieces');
  slow.end();
  await messagesOf(chat).getByText('You wrote 1 message.').waitFor();
  if ((await chat.locator('#messages img').count()) > 0) throw new Error('A text of the model has become an image');
  await chat.locator('#messages strong').waitFor();
  await chat.getByRole('status').filter({ hasText: 'You wrote 1 message.' }).waitFor({ state: 'attached' });
  await page.screenshot({ path: join(SCREENSHOTS, 'widget-open.png') });
  const found = await violations(page);
  if (found.length > 0) throw new Error(found.join('\n'));
  await page.keyboard.press('Escape');
  await chat.getByText('Ask the bookshop').waitFor({ state: 'hidden' });
  await until('the button has the focus', () => isButtonFocused(page));
  await page.reload();
  await open.click();
  await messagesOf(chat).getByText('You wrote 1 message.').waitFor();
  await write(chat, 'Another, slowly');
  await messagesOf(chat).getByText('You wrote 2 messages.').waitFor();
  await chat.getByRole('button', { name: 'Close the chat' }).click();
  await until('the button has the focus again', () => isButtonFocused(page));
  const cookies = await context.cookies();
  if (cookies.length > 0) throw new Error('The widget has set a cookie');
  assertClean('the widget', NO_ICON);
  await page.close();
}

/** The editor of a workflow is no part of this: workflow and model are there already. */
async function makeChat(page: Page, slug: string): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await page.getByLabel('Title').fill('Ask about whales');
  await page.getByLabel('Address').fill(slug);
  await page.getByLabel('Greeting').fill('Ahoy!');
  await page.getByLabel('Web sites').fill('https://www.example.com/contact\nhttps://shop.example.com');
  await page.getByRole('button', { name: 'Create the chat' }).click();
}

/** Visitors of chats. */
export const CHAT_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'the widget works on a site with a strict policy, and on no site that the chat does not name'({
    browser,
    url,
  }) {
    let slug = '';
    const shop = await openShop(url, () => slug);
    const other = await openShop(url, () => slug);
    try {
      ({ slug } = await seedChat(url, [shop.origin]));
      const context = await browser.newContext({ viewport: { width: 1000, height: 800 } });
      await talkOnSite(context, shop);
      const { page, faults } = await watchedPage(context);
      await page.goto(other.origin);
      await page.getByRole('button', { name: 'Ask us' }).click();
      await until('the browser refuses the frame', () => faults().some((fault) => fault.includes('frame-ancestors')));
      await context.close();
    } finally {
      shop.close();
      other.close();
    }
  },
  async 'a chat is made, talked to and embedded in the console'({ browser, url }) {
    const { api } = await seedChat(url);
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page, assertClean } = await watchedPage(context);
    await page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), api.token);
    await page.goto(`${url}/console/chats`);
    const slug = `whales-${process.pid}-${++chats}`;
    await makeChat(page, slug);
    const line = `<script src="${url}/widget.js" data-chat="${slug}" data-color="#ffcc00" async></script>`;
    await page.getByText(line).waitFor();
    await page.getByText('www.example.com, shop.example.com').first().waitFor();
    // Any place of its row opens the chat.
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row').filter({ hasText: slug }).getByText(slug).click({ force: true });
    await page.getByRole('tab', { name: 'Embed' }).click();
    await page.getByRole('region', { name: 'Line for the web site' }).locator('..').getByRole('button').click();
    await until('the line is copied', async () => (await page.evaluate(() => navigator.clipboard.readText())) === line);
    await page.getByRole('tab', { name: 'Talk to it' }).click();
    await page.getByText('Ahoy!').waitFor();
    await write(page, 'Tell me, slowly');
    await page.getByRole('log').getByText('You wrote 1 message.').waitFor();
    await page
      .getByRole('log')
      .getByText(/\d+ tokens/)
      .waitFor();
    await write(page, 'And again, slowly');
    await page.getByRole('log').getByText('You wrote 2 messages.').waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, 'console-chat.png') });
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Whales');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Whales' }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the chat' }).click();
    await page.getByRole('button', { name: 'Whales' }).waitFor({ state: 'detached' });
    if ((await fetch(`${url}/chat/${slug}`)).status !== 404)
      throw new Error('The page of a deleted chat is still there');
    assertClean('chats');
    await context.close();
  },
  async 'the branding is set in the console'({ browser, url }) {
    const { api, slug } = await seedChat(url);
    await api.call('PUT', '/api/v1/tenant/branding', { name: null, color: null, logo: null });
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const { page, assertClean } = await watchedPage(context);
    await page.addInitScript((value) => sessionStorage.setItem('everstep.token', value), api.token);
    await page.goto(`${url}/console/settings`);
    await page.getByRole('link', { name: 'Name, logo and colour' }).click();
    await page.getByLabel('Name').fill('Sea & Sons');
    await page.getByRole('textbox', { name: /^Colour/ }).fill('#0e7490');
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from(LOGO, 'base64') };
    await page.getByLabel('Image file').setInputFiles(logo);
    await page.getByRole('img', { name: 'A form in the dark theme' }).getByText('Sea & Sons').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The public pages have the new branding').waitFor();
    assertClean('the branding');
    await page.goto(`${url}/chat/${slug}`);
    await page.getByText('Sea & Sons').waitFor();
    const color = await page
      .getByRole('button', { name: 'Send' })
      .evaluate((button) => getComputedStyle(button).backgroundColor);
    if (color !== 'rgb(14, 116, 144)') throw new Error(`The button is ${color}`);
    await page.goto(`${url}/console/branding`);
    await page.getByLabel('Image file').setInputFiles({ ...logo, name: 'logo.svg', buffer: Buffer.from('<svg/>') });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A logo is a PNG, JPEG or WebP image').waitFor();
    assertClean('a wrong logo', [...NO_ICON, 'status of 4']);
    await context.close();
  },
  async 'the page of a chat'({ browser, url }) {
    const { slug, api } = await seedChat(url);
    for (const [theme, width] of [
      ['light', 380],
      ['dark', 380],
      ['light', 1400],
      ['dark', 1400],
    ] as const) {
      const context = await browser.newContext({ viewport: { width, height: 700 }, colorScheme: theme });
      const { page, faults } = await watchedPage(context);
      const look = async (name: string, allowed: readonly string[] = []): Promise<void> => {
        await page.screenshot({ path: join(SCREENSHOTS, `chat-${name}-${theme}-${width}.png`) });
        const found = [...(await violations(page)), ...faults([...NO_ICON, ...allowed])];
        if (found.length > 0) throw new Error(`${name}, ${theme}, ${width}:\n${found.join('\n')}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wide > 0) throw new Error(`${name} is ${wide} px too wide at ${width}`);
      };
      await page.goto(`${url}/chat/${slug}`);
      await page.getByText('What are you looking for?').waitFor();
      await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.bar img')?.naturalWidth ?? 0) > 0);
      await look('empty');
      await write(page, 'A book about whales, slowly');
      await messagesOf(page).getByText('You wrote 1 message.').waitFor();
      await look('reply');
      // The connection breaks, and the reply follows after another try.
      await page.route('**/public/chat/**', (route) => route.abort(), { times: 1 });
      await write(page, 'And one about squids, slowly');
      await messagesOf(page).getByText('The connection failed').waitFor();
      await look('fault', ['ERR_FAILED']);
      await page.getByRole('button', { name: 'Try again' }).click();
      await messagesOf(page).getByText('You wrote 2 messages.').waitFor();
      // The page is loaded again before the reply is there.
      const slow = holdReplies();
      await write(page, 'The last one, slowly');
      await messagesOf(page).getByText('Call me Ishmael.').nth(2).waitFor();
      await page.reload();
      await messagesOf(page).getByText('The last one, slowly').waitFor();
      slow.end();
      await messagesOf(page).getByText('You wrote 3 messages.').waitFor();
      await page.getByRole('button', { name: 'New conversation' }).click();
      await messagesOf(page).getByText('You wrote').first().waitFor({ state: 'detached' });
      await context.close();
    }
    const runs = await api.call<{ data: unknown[] }>('GET', '/api/v1/executions');
    if (runs.data.length !== 12) throw new Error(`${runs.data.length} runs were started for 12 messages`);
  },
};
