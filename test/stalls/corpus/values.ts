import { type LlmReply, startLlmServer } from '../../support/llm-server';
import { type StallCase, stallCase } from '../case';
import type { Stage } from '../stage';
import { jsonRows, KIB, letters, lines, MIB, repeated, rowsOf, words } from './builders';

async function secrets(stage: Stage, names: readonly string[], value: (index: number) => string): Promise<void> {
  for (const [index, name] of names.entries())
    await stage.api.call('POST', '/api/v1/secrets', { name, value: value(index) });
}

/** Large values on their way through a run: answers, results, masked outputs, streams. */
export const values: readonly StallCase[] = [
  stallCase('http_request: 9 MB of JSON', async (stage) => {
    const url = stage.serve(jsonRows(9 * MIB));
    await stage.flow([{ id: 'it', type: 'http_request', config: { url } }], { ends: 'either' });
  }),
  stallCase('http_request: 9 MB of JSON, of which one member is used', async (stage) => {
    const url = stage.serve(jsonRows(9 * MIB));
    const steps = [
      { id: 'it', type: 'http_request', config: { url } },
      { id: 'use', type: 'set', config: { n: '{{ steps.it.body[0].id }}' } },
    ];
    await stage.flow(steps, { ends: 'either', more: { output: { n: '{{ steps.use.n }}' } } });
  }),
  stallCase('http_request: 9 MB of text', async (stage, dice) => {
    const url = stage.serve(words(dice, 9 * MIB), { 'content-type': 'text/plain' });
    await stage.flow([{ id: 'it', type: 'http_request', config: { url } }], { ends: 'either' });
  }),
  stallCase('http_request: 4 MB of bytes', async (stage) => {
    const url = stage.serve(Buffer.alloc(4 * MIB, 0xa7), { 'content-type': 'application/octet-stream' });
    await stage.flow([{ id: 'it', type: 'http_request', config: { url } }], { ends: 'either' });
  }),
  stallCase('http_request: deep nesting in an answer', async (stage) => {
    const url = stage.serve('['.repeat(2 * MIB) + ']'.repeat(2 * MIB));
    await stage.flow([{ id: 'it', type: 'http_request', config: { url } }], { ends: 'either' });
  }),
  stallCase('http_request: 14,000 rows sent as JSON', async (stage, dice) => {
    const url = stage.serve('{}');
    const config = { url, method: 'POST', json: '{{ trigger.body.rows }}' };
    await stage.flow([{ id: 'it', type: 'http_request', config }], {
      body: { rows: rowsOf(dice, 14_000) },
      ends: 'either',
    });
  }),
  stallCase('http_request: an error with 9 MB', async (stage, dice) => {
    const text = words(dice, 9 * MIB);
    const url = stage.answer(
      (_request, response) => void response.writeHead(400, { 'content-type': 'text/plain' }).end(text),
    );
    await stage.flow([{ id: 'it', type: 'http_request', config: { url } }], { ends: 'failed' });
  }),
  stallCase('secrets: sixty of them, and 900 KB that begin like them', async (stage, dice) => {
    const names = Array.from({ length: 60 }, (_, index) => `SHORT_${index}`);
    await secrets(stage, names, (index) => `abc${letters(dice, 3)}${index}`);
    const used = Object.fromEntries(names.map((name) => [name, `{{ secret.${name} }}`]));
    const steps = [
      { id: 'keys', type: 'log', config: { message: used } },
      { id: 'it', type: 'set', config: { text: '{{ trigger.body.text }}' } },
    ];
    await stage.flow(steps, { body: { text: repeated('abcabd', 900 * KIB) }, ends: 'either' });
  }),
  stallCase('secrets: sixty of them, and 60,000 small values', async (stage, dice) => {
    const names = Array.from({ length: 60 }, (_, index) => `MANY_${index}`);
    await secrets(stage, names, (index) => `key${letters(dice, 12)}${index}`);
    const used = Object.fromEntries(names.map((name) => [name, `{{ secret.${name} }}`]));
    const list = Array.from({ length: 60_000 }, (_, index) => `key${index}`);
    const steps = [
      { id: 'keys', type: 'log', config: { message: used } },
      { id: 'it', type: 'set', config: { list: '{{ trigger.body.list }}' } },
    ];
    await stage.flow(steps, { body: { list }, ends: 'either' });
  }),
  stallCase('code: a result of 1 MB of small objects', async (stage) => {
    const source = 'return { list: Array.from({ length: 90000 }, (_, i) => ({ a: i % 10 })) }';
    await stage.flow([{ id: 'it', type: 'code', config: { source } }], { ends: 'either' });
  }),
  stallCase('code: an input of 60,000 objects', async (stage) => {
    const list = Array.from({ length: 60_000 }, (_, index) => ({ a: index % 10 }));
    const config = { source: 'return { n: input.length }', input: '{{ trigger.body.list }}' };
    await stage.flow([{ id: 'it', type: 'code', config }], { body: { list }, ends: 'either' });
  }),
  stallCase('code: 200 lines written', async (stage) => {
    const source = 'for (let i = 0; i < 5000; i++) console.log("x".repeat(1000)); return 1';
    await stage.flow([{ id: 'it', type: 'code', config: { source } }]);
  }),
  stallCase('rss: a megabyte of opening brackets in a feed', async (stage) => {
    const url = stage.serve(`<rss version="2.0"><channel><title>${repeated('<', MIB)}`);
    await stage.flow([{ id: 'it', type: 'rss.read', config: { url } }], { ends: 'failed' });
  }),
  stallCase('rss: a feed of 1,000 entries', async (stage) => {
    const item = (n: number): string =>
      `<item><guid>${n}</guid><title>a &amp; b</title><link>https://x.example/${n}</link><description>${repeated('<![CDATA[<p>x</p>]]>', 4 * KIB)}</description></item>`;
    const url = stage.serve(`<rss version="2.0"><channel><title>t</title>${lines(1_000, item)}</channel></rss>`, {
      'content-type': 'application/rss+xml',
    });
    await stage.flow([{ id: 'it', type: 'rss.read', config: { url, limit: 1_000 } }], { ends: 'either' });
  }),
  stallCase('custom node: outputs of 9 MB of JSON', async (stage) => {
    const url = stage.serve(jsonRows(9 * MIB));
    const name = stage.name('big').replace('_', '-');
    await stage.api.call('POST', '/api/v1/custom-nodes', {
      name,
      label: 'Big',
      kind: 'tool',
      request: { method: 'GET', url },
      outputs: Array.from({ length: 50 }, (_, index) => ({ name: `o${index}`, path: `body[${index}].id` })),
    });
    await stage.flow([{ id: 'it', type: `custom-${name}`, config: {} }], { ends: 'either' });
  }),
  stallCase('graphql: an answer of 5 MB', async (stage) => {
    const url = stage.serve(`{"data":{"rows":${jsonRows(5 * MIB)}}}`);
    const connector = 'graphql';
    const name = stage.name('graphql');
    await stage.api.call('POST', '/api/v1/connections', { connector, name, credentials: { url } });
    const config = { connection: name, query: '{ rows { id } }' };
    await stage.flow([{ id: 'it', type: 'graphql.query', config }], { ends: 'either' });
  }),
  stallCase('openapi: a document of 3 MB', async (stage) => {
    const schema = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`p${n}`, { type: 'string', description: repeated('x', 80) }]),
      ),
    };
    const schemas = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [
        `S${n}`,
        { ...schema, allOf: [{ $ref: `#/components/schemas/S${(n + 1) % 400}` }] },
      ]),
    );
    const paths = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [
        `/p${n}`,
        {
          post: {
            operationId: `op${n}`,
            requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/S${n % 400}` } } } },
            responses: {
              200: {
                description: 'ok',
                content: { 'application/json': { schema: { $ref: `#/components/schemas/S${(n * 7) % 400}` } } },
              },
            },
          },
        },
      ]),
    );
    const document = {
      openapi: '3.0.0',
      info: { title: 't', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths,
      components: { schemas },
    };
    const body = JSON.stringify({ name: stage.name('shop').replace('_', '-'), document });
    await stage.send('POST', '/api/v1/connectors/import', body, { statuses: [201, 200, 400, 409, 413] });
  }),
  stallCase('openapi: 1 MB of YAML', async (stage) => {
    const document = `openapi: 3.0.0\ninfo: {title: t, version: "1"}\nx:\n${lines(60_000, (n) => `  - {a: ${n % 10}}`)}\npaths: {}\n`;
    const body = JSON.stringify({ name: stage.name('shop').replace('_', '-'), document });
    await stage.send('POST', '/api/v1/connectors/import', body, { statuses: [201, 200, 400, 413] });
  }),
  stallCase('knowledge: 64 KiB of headings', async (stage) => {
    const base = await stage.api.call<{ id: string }>('POST', '/api/v1/knowledge-bases', { name: stage.name('base') });
    const body = JSON.stringify({ name: 'a', text: repeated('#\n', 63 * KIB) });
    await stage.send('POST', `/api/v1/knowledge-bases/${base.id}/documents`, body, { statuses: [201, 202, 400, 413] });
    await settled(stage, base.id);
  }),
  stallCase('knowledge: 1 MB of text', async (stage, dice) => {
    const base = await stage.api.call<{ id: string }>('POST', '/api/v1/knowledge-bases', { name: stage.name('base') });
    const body = JSON.stringify({ name: 'a', text: words(dice, MIB) });
    await stage.send('POST', `/api/v1/knowledge-bases/${base.id}/documents`, body, { statuses: [201, 202, 400, 413] });
    await settled(stage, base.id);
    await stage.send('POST', `/api/v1/knowledge-bases/${base.id}/query`, '{"query":"abc def ghi","top_k":50}', {
      statuses: [200],
    });
  }),
  stallCase('model: an answer in 150,000 pieces', async (stage) => {
    const pieces = Array.from({ length: 150_000 }, () => 'ab ');
    await askModel(stage, { kind: 'pieces', pieces });
  }),
  stallCase('model: an answer of 1 MB at once', async (stage, dice) => {
    await askModel(stage, { kind: 'text', text: words(dice, MIB).replaceAll(' ', '_') });
  }),
  stallCase('model: an answer against many patterns', async (stage) => {
    const named = <T>(count: number, name: (index: number) => string, value: T) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value] as const));
    const patternProperties = named(40, (n) => `^(a|b)*${n}$`, { type: 'number' });
    const text = JSON.stringify(named(8_000, (n) => `ab${n}`, 1));
    await askModel(stage, { kind: 'text', text }, { schema: { type: 'object', patternProperties } });
  }),
];

async function askModel(stage: Stage, reply: LlmReply, more: object = {}): Promise<void> {
  const server = await startLlmServer(() => reply);
  try {
    const name = stage.name('MODEL');
    await secrets(stage, [name], () => 'a-key-of-a-model');
    const config = {
      provider: 'openai-compatible',
      model: 'small-model',
      base_url: server.baseUrl.openai,
      api_key: `{{ secret.${name} }}`,
      prompt: 'say',
      ...more,
    };
    const id = await stage.save([{ id: 'it', type: 'llm', config }]);
    const run = await stage.start(id, {}, 'either');
    if (run.status === 'failed' && server.seen.length === 0) throw new Error('The model was never asked');
  } finally {
    await server.close();
  }
}

/** Waits until no document of a base is on its way. */
async function settled(stage: Stage, base: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    const path = `/api/v1/knowledge-bases/${base}/documents`;
    const { data } = await stage.api.call<{ data: { status: string }[] }>('GET', path);
    if (data.every(({ status }) => ['ready', 'failed', 'indexed'].includes(status))) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('The documents were never read');
}
