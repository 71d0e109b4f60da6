import type { JsonObject } from '../../../lib/json';
import type { TestApp } from '../../support/app';
import { byTurn, type LlmServer, startLlmServer } from '../../support/llm-server';
import { startServer, type TestServer } from '../nodes/server';
import { type Ask, newTenant, openWhole, run, workflowOf } from './house';

const SECRET = 'sk-91c2b7d0aa';

let app: TestApp;
let server: TestServer;
let models: LlmServer;
let ann: Ask;

beforeAll(async () => {
  app = await openWhole();
  server = await startServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ temp: 21.5 }));
  });
  models = await startLlmServer(
    byTurn(
      { kind: 'tools', calls: [{ name: 'custom-weather', input: { city: 'Oslo' } }] },
      { kind: 'text', text: 'It is 21.5 degrees.' },
    ),
  );
  ({ owner: ann } = await newTenant(app));
  await ann('POST', '/api/v1/secrets', { name: 'WEATHER_KEY', value: SECRET });
});
afterAll(async () => {
  await app?.close();
  await models?.close();
  await server?.close();
});

test('an agent uses a custom node as a tool, and neither its model nor the record learns the secret', async () => {
  await ann('POST', '/api/v1/custom-nodes', {
    name: 'weather',
    description: 'The weather in a city',
    config_fields: [
      { name: 'city', required: true },
      { name: 'key', type: 'secret', required: true },
    ],
    request: {
      url: `${server.url}/weather?q={{ config.city }}`,
      headers: { 'x-key': '{{ config.key }}', 'x-own': '{{ secret.WEATHER_KEY }}' },
    },
    outputs: [{ name: 'temp' }],
  });
  const config = {
    provider: 'openai-compatible',
    model: 'm',
    base_url: models.baseUrl.openai,
    prompt: 'How warm is it in Oslo?',
    tools: [{ type: 'custom-weather', config: { key: '{{ secret.WEATHER_KEY }}' } }],
  };
  const execution = await run(ann, await workflowOf(ann, [{ id: 'ask', type: 'agent', config }]));
  expect(execution).toMatchObject({
    status: 'completed',
    output: { text: 'It is 21.5 degrees.', tool_calls: [{ name: 'custom-weather', input: { city: 'Oslo' } }] },
  });
  expect(server.seen).toHaveLength(1);
  expect(server.seen[0]).toMatchObject({ url: '/weather?q=Oslo', headers: { 'x-key': SECRET, 'x-own': SECRET } });
  const tools = models.seen.map(({ body }) => body.tools as JsonObject[]);
  const tool = tools[0]?.[0];
  expect(tool).toMatchObject({
    function: { name: 'custom-weather', description: 'The weather in a city', parameters: { required: ['city'] } },
  });
  expect(JSON.stringify(models.seen)).not.toContain(SECRET);
  const detail = await ann('GET', `/api/v1/executions/${String(execution.id)}/detail?include=attempts,parts`);
  expect(JSON.stringify(detail)).not.toContain(SECRET);
  // A node that agents use is in use as well.
  expect((await ann('DELETE', '/api/v1/custom-nodes/custom-weather')).status).toBe(409);
});
