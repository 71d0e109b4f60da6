import { load } from 'js-yaml';
import { startProvider } from '../../support/sso/provider';
import { until } from '../../support/until';
import { card, draftOf, expectSame, liveOf, panel, save, type Scenario, stageOf, states } from './stage';

const step = (message: string) => ({ id: 'note', type: 'log', config: { message } });
const saying = (message: string, trigger: object = { type: 'http', config: {} }) => ({
  id: 'sample',
  trigger,
  steps: [step(message)],
});

const SECRET = 'editor-client-secret';

/** The panels of the editor. */
export const PANELS: Readonly<Record<string, Scenario>> = {
  async 'versions are compared and restored, and a draft is discarded'(scene) {
    const { api, open, create } = await stageOf(scene);
    const id = await create(saying('One'));
    for (const message of ['Two', 'Three'])
      await api.call('POST', `/api/v1/workflows/${id}/publish`, { dsl: saying(message), message: `Says ${message}` });
    const { page, assertClean, context } = await open(`/workflows/${id}`);
    await page.getByRole('button', { name: 'More of the editor' }).click();
    await page.getByRole('button', { name: 'Versions', exact: true }).click();
    const version = page.getByRole('article').filter({ hasText: 'Says Two' });
    await version.getByRole('button', { name: 'Changes until now' }).click();
    await version.getByText('config.message').waitFor();
    await version.getByText('Three').waitFor();
    await version.getByRole('button', { name: 'Restore into the draft' }).click();
    await states(page).getByText('Not saved').waitFor();
    await save(page);
    expectSame('the restored draft', await draftOf(api, id), saying('Two'));
    expectSame('what is live', await liveOf(api, id), saying('Three'));
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await panel(page, 'Publish').getByRole('button', { name: 'Discard the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await states(page).getByText('No draft').waitFor();
    expectSame('the draft', await draftOf(api, id), null);
    await card(page, 'note').click();
    expectSame('the message', await page.getByLabel('Message', { exact: true }).inputValue(), 'Three');
    assertClean('versions');
    await context.close();
  },

  async 'a comparison is marked on the canvas and in the code, and the code is shown as YAML'(scene) {
    const { open, create, api } = await stageOf(scene);
    const steps = [
      { id: 'kept', type: 'log', config: { message: 'Kept' } },
      { id: 'gone', type: 'log', config: { message: 'Gone' } },
      { id: 'note', type: 'log', config: { message: 'Before' } },
    ];
    const id = await create({ ...saying(''), steps });
    const dsl = {
      ...saying(''),
      steps: [
        steps[0],
        { id: 'note', type: 'log', config: { message: 'After' } },
        { id: 'fresh', type: 'log', config: { message: 'Fresh' } },
      ],
    };
    await api.call('PUT', `/api/v1/workflows/${id}/draft`, { dsl });
    const { page, assertClean, context } = await open(`/workflows/${id}?view=split`);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await card(page, 'fresh').getByText('Added').waitFor();
    await card(page, 'note').getByText('Changed').waitFor();
    expectSame(
      'marks of an unchanged step',
      await card(page, 'kept')
        .getByText(/Added|Changed|Moved/)
        .count(),
      0,
    );
    const code = page.locator('[data-code]');
    await code.locator('.cm-deletedChunk', { hasText: 'Before' }).waitFor();
    await code.locator('.cm-changedLine', { hasText: 'After' }).first().waitFor();
    await panel(page, 'Publish').getByRole('button', { name: 'fresh', exact: true }).click();
    await page.locator('[role="option"][aria-selected="true"]', { hasText: 'fresh' }).waitFor();
    await page.keyboard.press('Escape');
    await card(page, 'fresh').getByText('Added').waitFor({ state: 'detached' });
    await code.locator('.cm-changedLine').first().waitFor({ state: 'detached' });
    await code.getByRole('button', { name: 'YAML' }).click();
    const yaml = await code.getByRole('region', { name: 'YAML of the workflow' }).innerText();
    expectSame('the YAML', load(yaml), dsl);
    assertClean('a marked comparison');
    await context.close();
  },

  async 'a webhook has an address, a request to copy and a key'(scene) {
    const { open, create } = await stageOf(scene);
    const id = await create(saying('One'));
    const { page, assertClean, context } = await open(`/workflows/${id}?panel=triggers`);
    const triggers = panel(page, 'Triggers');
    const address = `${scene.url}/webhooks/${id}`;
    await triggers.getByText(address, { exact: true }).waitFor();
    const curl = triggers.getByRole('region', { name: 'Request with curl' });
    await curl.getByText(`curl -X POST '${address}/sync'`).waitFor();
    await triggers.getByRole('button', { name: 'Ask for a key' }).click();
    const key = await triggers.getByRole('status').locator('code').innerText();
    await curl.getByText(`x-api-key: ${key}`).waitFor();
    const statusWith = async (headers: Record<string, string>): Promise<number> =>
      (
        await fetch(address, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{}',
        })
      ).status;
    expectSame('the answers', [await statusWith({}), await statusWith({ 'x-api-key': key })], [401, 202]);
    await triggers.getByRole('button', { name: 'Remove the key' }).click();
    await triggers.getByRole('button', { name: 'Ask for a key' }).waitFor();
    expectSame('the answer without a key', await statusWith({}), 202);
    assertClean('a webhook');
    await context.close();
  },

  async 'the next starts of a schedule are shown in its own time zone, over a change of the clock'(scene) {
    const { open, create } = await stageOf(scene);
    const trigger = { type: 'schedule', config: { cron: '0 12 1 1,7 *', timezone: 'Europe/Berlin' } };
    const id = await create(saying('One', trigger));
    const { page, assertClean, context } = await open(`/workflows/${id}?panel=triggers`, {
      timezoneId: 'America/New_York',
    });
    const triggers = panel(page, 'Triggers');
    await triggers
      .getByText(/1 Jan \d+.*12:00 CET/)
      .first()
      .waitFor();
    await triggers
      .getByText(/1 Jul \d+.*12:00 CEST/)
      .first()
      .waitFor();
    assertClean('a schedule');
    await context.close();
  },

  async 'a poller shows how it does, and a chat where it is'(scene) {
    const { api, open, create } = await stageOf(scene);
    const chat = await create(saying('Hello', { type: 'chat' }), 'Chat');
    const first = await open(`/workflows/${chat}?panel=triggers`);
    await panel(first.page, 'Triggers').getByRole('link', { name: 'Create a chat' }).waitFor();
    const slug = `shop-${chat.slice(0, 8)}`;
    await api.call('POST', `/api/v1/workflows/${chat}/chat-deployments`, { slug, title: 'Shop' });
    await first.page.reload();
    await panel(first.page, 'Triggers').getByText(`${scene.url}/chat/${slug}`).waitFor();
    first.assertClean('a chat');
    await first.context.close();

    const source = await create(saying('New', { type: 'http_poll', config: { url: 'http://127.0.0.1:1/' } }), 'Poller');
    await until('the source was polled', async () => {
      const { schedule } = await api.call<{ schedule: { failures: number } | null }>(
        'GET',
        `/api/v1/workflows/${source}/schedule`,
      );
      return schedule !== null && schedule.failures > 0;
    });
    const second = await open(`/workflows/${source}?panel=triggers`);
    await panel(second.page, 'Triggers').getByText('The last poll failed').waitFor();
    second.assertClean('a poller');
    await second.context.close();
  },

  async 'what uses a workflow is listed, and its JSON Schema named'(scene) {
    const { open, create } = await stageOf(scene);
    const id = await create(saying('One'), 'Called');
    const call = { id: 'ask', type: 'sub_workflow', config: { workflow: id } };
    await create({ ...saying('Two'), steps: [call] }, 'Caller');
    const { page, assertClean, context } = await open(`/workflows/${id}`);
    await page.getByRole('button', { name: 'More of the editor' }).click();
    await page.getByRole('button', { name: 'Edit elsewhere' }).click();
    const schema = panel(page, 'Edit elsewhere');
    await schema.getByText(`"$schema": "${scene.url}/api/v1/schema"`).waitFor();
    const href = await schema.getByRole('link', { name: 'Open the JSON Schema' }).getAttribute('href');
    expectSame('the answer', (await fetch(href ?? '')).status, 200);
    await page.getByRole('button', { name: 'More of the editor' }).click();
    await page.getByRole('button', { name: 'Used by' }).click();
    const users = panel(page, 'Used by');
    await users.getByRole('link', { name: 'Caller' }).waitFor();
    await users.getByRole('link', { name: 'ask' }).click();
    await panel(page, 'ask').waitFor();
    assertClean('used by');
    await context.close();
  },

  async 'an account is connected from the field of a step'(scene) {
    const { api, open, create } = await stageOf(scene);
    const client = {
      client_id: 'editor',
      client_secret: SECRET,
      redirect_uris: [`${scene.url}/api/v1/oauth/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
    };
    const provider = await startProvider([client], {
      scopes: ['openid', 'email', 'offline_access'],
      accessSeconds: 3_600,
    });
    try {
      await provider.account({ sub: 'grace', email: 'grace@example.com', email_verified: true });
      await api.call('POST', '/api/v1/oauth-apps', {
        name: 'Harbour',
        client_id: 'editor',
        client_secret: SECRET,
        custom: { authorize_url: `${provider.issuer}/auth`, token_url: `${provider.issuer}/token` },
        scopes: ['openid', 'email', 'offline_access'],
        hosts: ['localhost'],
      });
      const request = { id: 'ask', type: 'http_request', config: { url: 'http://localhost:1/' } };
      const id = await create({ ...saying('One'), steps: [request] });
      const { page, assertClean, context } = await open(`/workflows/${id}?step=ask`);
      const field = page.getByLabel(/^Connection/);
      await page.getByRole('button', { name: /^Show \d+ more settings/ }).click();
      await page.getByRole('button', { name: 'Connect an account' }).click();
      const opened = context.waitForEvent('page');
      await page.getByRole('button', { name: /^Harbour/ }).click();
      const other = await opened;
      await page.getByText(/is connected$/).waitFor();
      await page.waitForFunction(() =>
        [...document.querySelectorAll('select')].some((select) => select.value.startsWith('Harbour')),
      );
      if (!other.isClosed()) await other.getByText('The account is connected').first().waitFor();
      expectSame('the document is edited', await states(page).getByText('Not saved').isVisible(), true);
      expectSame('the connection', (await field.inputValue()).startsWith('Harbour'), true);
      assertClean('a connection');
      await context.close();
    } finally {
      await provider.close();
    }
  },

  async 'a workflow is generated by a prompt, and changed by another'(scene) {
    const { api, open } = await stageOf(scene);
    const { page, assertClean, context } = await open('/workflows/new?panel=generate');
    const generate = async (message: string): Promise<void> => {
      // The model of the tests answers with the JSON of the prompt.
      await page
        .getByLabel('What should it do?')
        .fill(`Answer ${JSON.stringify({ dsl: saying(message), notes: 'As asked.' })}`);
      await page.getByRole('button', { name: 'Generate', exact: true }).click();
      // The prompt, which is still shown, has these words as well.
      await page.locator('p').getByText('As asked.').waitFor();
    };
    await generate('Written by a model');
    await page.getByRole('button', { name: 'Take it' }).click();
    await card(page, 'note').waitFor();
    await page.getByRole('button', { name: 'More of the editor' }).click();
    await page.getByRole('button', { name: 'Generate by prompt' }).click();
    await generate('Changed by a model');
    const region = panel(page, 'Change by prompt');
    await region.getByText('Changed', { exact: true }).waitFor();
    await region.getByRole('button', { name: 'Take it' }).click();
    await save(page);
    await page.waitForURL((address) => !address.pathname.endsWith('/new'));
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    expectSame('the draft', await draftOf(api, id), saying('Changed by a model'));
    await page.keyboard.press('ControlOrMeta+z');
    await states(page).getByText('Not saved').waitFor();
    assertClean('a prompt');
    await context.close();
  },
};
