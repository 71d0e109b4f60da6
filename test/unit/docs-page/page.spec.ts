import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import description from '../../../services/api-gateway/openapi/document.json';
import { Element } from './element';

const FOLDER = join(__dirname, '..', '..', '..', 'docs', 'page');

/** Runs the script of the page with a test document. */
const SCRIPTS = ['try.js', 'app.js'];

async function openPage(api: object, hash = ''): Promise<{ root: Element; find(id: string): Element | undefined }> {
  const root = new Element('body');
  const parts = ['search', 'contents', 'main'].map((id) => {
    const element = new Element('div');
    element.setAttribute('id', id);
    return element;
  });
  root.append(...parts);
  const find = (id: string): Element | undefined =>
    [...root.all()].find(({ attributes }) => attributes.get('id') === id);
  const world = createContext({
    document: { createElement: (name: string) => new Element(name), getElementById: (id: string) => find(id) ?? null },
    fetch: async (url: string) => ({
      json: async () => (url === '/docs/guides' ? { data: [] } : (JSON.parse(JSON.stringify(api)) as unknown)),
    }),
    location: { hash, origin: 'https://flows.example' },
    addEventListener: () => undefined,
  });
  for (const script of SCRIPTS) runInContext(readFileSync(join(FOLDER, script), 'utf8'), world);
  await new Promise((resolve) => setImmediate(resolve));
  return { root, find };
}

const operations = Object.values(
  description.paths as unknown as Record<string, Record<string, { operationId: string }>>,
)
  .flatMap((methods) => Object.values(methods))
  .map(({ operationId }) => operationId);

describe('the page of the API', () => {
  test('shows every operation, with its details when it is opened', async () => {
    const { root, find } = await openPage(description);
    const byId = new Map([...root.all()].map((element) => [element.attributes.get('id'), element]));
    for (const id of operations) {
      const shown = byId.get(id) as Element;
      shown.open = true;
      shown.fire('toggle');
      expect([id, shown.text.includes('By curl'), shown.text.includes('Answers')]).toEqual([id, true, true]);
      expect([id, shown.text.includes('undefined'), shown.text.includes('[object Object]')]).toEqual([
        id,
        false,
        false,
      ]);
    }
    const create = (find('workflows.create') as Element).text;
    expect(create).toContain("curl -X POST 'https://flows.example/api/v1/workflows'");
    for (const part of ['Idempotency-Key', 'invalid_dsl', 'webhook_api_key', 'WorkflowView'])
      expect(create).toContain(part);
  });

  test('opens the operation of its address, and hides operations that do not match the search', async () => {
    const { find } = await openPage(description, '#workflows.get');
    expect([find('workflows.get')?.open, find('workflows.list')?.open]).toEqual([true, false]);
    const search = find('search') as Element;
    search.value = 'Workflows diff';
    search.fire('input');
    expect([find('workflows.compare_versions')?.hidden, find('auth.login')?.hidden]).toEqual([false, true]);
  });

  test('shows descriptions as text, never as HTML', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const operation = {
      operationId: 'a.b',
      tags: ['a'],
      summary: evil,
      description: evil,
      security: [],
      responses: { 200: { description: evil } },
    };
    const api = {
      info: { title: evil, version: '1', description: evil },
      tags: [{ name: 'a', description: evil }],
      paths: { '/a': { get: operation } },
    };
    const { root } = await openPage(api, '#a.b');
    expect([...root.all()].some(({ name }) => name === 'img')).toBe(false);
    expect(root.text).toContain(evil);
    for (const script of SCRIPTS)
      expect(readFileSync(join(FOLDER, script), 'utf8')).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/,
      );
  });

  test('sends no requests to other hosts', () => {
    for (const file of ['index.html', 'app.css', ...SCRIPTS]) {
      // Except for addresses in samples, which are not requested.
      expect([file, /https?:\/\/(?!(?:api\.)?example\.com)/.test(readFileSync(join(FOLDER, file), 'utf8'))]).toEqual([
        file,
        false,
      ]);
    }
  });
});
