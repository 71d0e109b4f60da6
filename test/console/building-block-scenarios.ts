import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Api } from '../support/server';
import { type Scene, watchedPage } from './browser';
import { account } from './seed';

const VALUE = 'sk-a-value-that-no-page-shows';

export const BUILDING_BLOCK_SCENARIOS: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  async 'a variable and a secret are made, replaced and deleted'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/variables#token=${token}`);
    await page.getByRole('button', { name: 'New variable' }).first().click();
    await page.getByLabel('Name').fill('limits');
    await page.getByLabel('Value').fill('{ "orders": 50 ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The value is not valid JSON').waitFor();
    await page.getByLabel('Value').fill('{ "orders": 50 }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('table', { name: 'Variables' }).getByRole('button', { name: 'limits' }).click();
    const variable = page.getByRole('region', { name: 'limits' });
    await variable.getByLabel('Value').fill('7');
    await variable.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '7', exact: true }).waitFor();
    const { data } = await api.call<{ data: { value: unknown }[] }>('GET', '/api/v1/variables');
    if (data[0]?.value !== 7) throw new Error(`The variable is ${JSON.stringify(data)}`);
    await variable.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the variable' }).click();
    await page.getByText('No variables yet').waitFor();

    await page.getByRole('tab', { name: 'Secrets' }).click();
    await page.getByRole('button', { name: 'New secret' }).first().click();
    await page.getByLabel('Name').fill('SHOP_KEY');
    await page.getByLabel('Value', { exact: true }).fill(VALUE);
    await page.getByRole('button', { name: 'Store' }).click();
    await page.getByText('SHOP_KEY is stored').waitFor();
    const config = { message: '{{ secret.SHOP_KEY }}' };
    const dsl = { id: 'use', trigger: { type: 'manual' }, steps: [{ id: 'tell', type: 'log', config }] };
    await api.call('POST', '/api/v1/workflows', { name: 'Teller', dsl });
    await page.getByRole('table', { name: 'Secrets' }).getByRole('button', { name: 'SHOP_KEY' }).click();
    const secret = page.getByRole('region', { name: 'SHOP_KEY' });
    await secret.getByRole('link', { name: 'Teller' }).waitFor();
    await secret.getByLabel('New value').fill(`${VALUE}-2`);
    await secret.getByRole('button', { name: 'Replace' }).click();
    await page.getByText('The new value is stored').waitFor();
    if ((await page.content()).includes(VALUE)) throw new Error('The page shows the value of the secret');
    await secret.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 workflow uses it, and will fail').waitFor();
    await page.getByRole('button', { name: 'Delete the secret' }).click();
    await page.getByText('No secrets yet').waitFor();
    assertClean('variables and secrets');
    await context.close();
  },

  async 'usage is shown by day and against the plan'({ browser, url }) {
    const { token } = await account(url);
    const api = new Api(url);
    api.token = token;
    const dsl = { id: 'one', trigger: { type: 'manual' }, steps: [{ id: 'a', type: 'set', config: { x: 1 } }] };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'One', dsl });
    await api.call('POST', `/api/v1/workflows/${id}/trigger?wait=1`, {});
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/usage#token=${token}`);
    await page.getByRole('meter', { name: 'Active workflows' }).waitFor();
    await page.getByText('Your plan').waitFor();
    await page.getByText('New runs start at once').waitFor();
    await page.getByLabel('Figure').selectOption('steps');
    await page.waitForURL('**/usage?figure=steps');
    await page.getByRole('figure', { name: 'Usage by day' }).getByText('Steps').first().waitFor();
    assertClean('usage');
    await context.close();
  },

  async 'a connector is found, imported after a preview, connected and deleted'({ browser, url }) {
    const shop = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ path: request.url, city: 'Oslo' }));
    });
    await new Promise<void>((done) => shop.listen(0, '127.0.0.1', done));
    const address = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const context = await browser.newContext();
    try {
      const { token } = await account(url);
      const { page, assertClean } = await watchedPage(context);
      await page.goto(`${url}/console/connectors#token=${token}`);
      await page.getByLabel('Search connectors and actions').fill('slack post message');
      await page.getByRole('table', { name: 'Connectors' }).getByRole('button', { name: 'Slack' }).click();
      const slack = page.getByRole('region', { name: 'Slack' });
      await slack.getByLabel('Search actions').fill('post');
      await slack.getByText('Post message', { exact: true }).click();
      await slack.getByText('chat.post_message').waitFor();
      await slack.getByRole('button', { name: 'Close the panel' }).click();
      await page.getByLabel('Search connectors and actions').fill('no such thing');
      await page.getByRole('button', { name: 'Show all connectors' }).click();

      await page.getByRole('button', { name: 'Import OpenAPI' }).click();
      await page.getByLabel('Name').fill('shop');
      await page.getByLabel('Or its text').fill('{ "openapi": "3.0.0" }');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('form').getByRole('alert').waitFor();
      const operation = {
        operationId: 'get_order',
        summary: 'Read an order',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'The order' } },
      };
      const document = {
        openapi: '3.0.0',
        info: { title: 'Corner shop', version: '1' },
        servers: [{ url: address }],
        paths: { '/orders/{id}': { get: operation } },
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
      };
      await page.getByLabel('Or its text').fill(JSON.stringify(document));
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByText('Nothing is saved yet').waitFor();
      await page.getByText('1 operation', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const imported = page.getByRole('region', { name: 'Corner shop' });
      await imported.getByText('Imported, version 1').waitFor();
      await imported.getByRole('button', { name: 'Enter credentials' }).click();
      await imported.locator('input[type=password]').first().fill('a-key-of-the-shop');
      await imported.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.waitForURL('**/connections?open=*');
      await page.getByRole('region', { name: 'Corner shop' }).getByText('Credentials by hand').waitFor();

      await page.goto(`${url}/console/connectors?show=nodes`);
      await page.getByRole('button', { name: 'New custom node' }).click();
      const definition = page.getByLabel('Definition');
      const text = (await definition.inputValue())
        .replace('https://api.example.com', address)
        .replace('body.main.temp', 'body.city');
      await definition.fill(text);
      await page.getByRole('button', { name: 'Save' }).click();
      const node = page.getByRole('region', { name: 'Weather' });
      await node.getByLabel('Configuration').fill('{ "city": "Oslo" }');
      await node.getByRole('button', { name: 'Send the request' }).click();
      await node.getByRole('group', { name: 'Result' }).getByText('Oslo').waitFor();
      await node.getByLabel('Definition').fill(text.split('Weather').join('Climate').replace('"name": "weather",', ''));
      await node.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('region', { name: 'Climate' }).getByText('Version 2').waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByRole('button', { name: 'Delete the custom node' }).click();
      await page.getByText('No custom nodes yet').waitFor();
      assertClean('connectors', ['400']);
    } finally {
      await context.close();
      shop.close();
    }
  },

  async 'a skill is written, tried, published, installed elsewhere and deleted'({ browser, url }) {
    const name = `sum-lines-${process.pid}`;
    const { token } = await account(url);
    const context = await browser.newContext();
    const { page, assertClean } = await watchedPage(context);
    await page.goto(`${url}/console/skills#token=${token}`);
    await page.getByRole('button', { name: 'New skill' }).first().click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Description').fill('Sums up the lines of an invoice.');
    await page.getByLabel('Instructions').fill('Sum up with scripts/sum.js.');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('button', { name: 'Add a file' }).click();
    await page.getByLabel('Path').fill('scripts/sum.js');
    await page.getByLabel('Content').fill('return input.lines.reduce((sum, net) => sum + net, 0);');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Files' }).getByText('scripts/sum.js').waitFor();
    await page.getByRole('tab', { name: 'Try' }).click();
    await page.getByLabel('Input').fill('{ "lines": [20, 22] }');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('42').first().waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('list', { name: 'Versions' }).getByText('1.0.0').waitFor();

    const other = await browser.newContext();
    const { page: elsewhere, assertClean: assertCleanElsewhere } = await watchedPage(other);
    await elsewhere.goto(`${url}/console/skills?show=registry#token=${(await account(url)).token}`);
    await elsewhere.getByLabel('Search the registry').fill(name);
    await elsewhere.getByRole('button', { name }).click();
    await elsewhere.getByRole('button', { name: 'Install' }).click();
    await elsewhere.getByText('Installed from Analytical Engines, version 1.0.0').waitFor();
    await elsewhere.getByRole('button', { name: `Delete ${name}` }).click();
    await elsewhere.getByRole('button', { name: 'Delete the skill' }).click();
    await elsewhere.getByText('No skills yet').waitFor();
    assertCleanElsewhere('the registry');
    assertClean('skills');
    await other.close();
    await context.close();
  },
};
