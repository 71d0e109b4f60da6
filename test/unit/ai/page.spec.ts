import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateDocument } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { nodeTypes } from '../../../services/workflows/tenant-node-types';

const page = readFileSync(join(__dirname, '../../../docs/ai.md'), 'utf8');
const steps = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => JSON.parse(text) as JsonObject);

const faultsOf = (...made: JsonObject[]) =>
  validateDocument({ id: 'page', trigger: { type: 'manual' }, steps: made }, { nodeTypes }).errors;

test('every step on the page about models can be saved', () => {
  expect(steps.map(({ type }) => type)).toEqual(['llm', 'classify', 'extract', 'embed', 'agent']);
  expect(faultsOf(...steps)).toEqual([]);
});

test('so can every step on the page about knowledge bases', () => {
  const text = readFileSync(join(__dirname, '../../../docs/knowledge-steps.md'), 'utf8');
  const blocks = [...text.matchAll(/```json\n(\{ "id"[\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.split(/\n(?=\{)/),
  );
  const made = blocks.map((block) => JSON.parse(block) as JsonObject);
  expect(made.map(({ type }) => type)).toEqual(['kb_query', 'kb_add', 'kb_add', 'agent', 'kb_query']);
  expect(made.flatMap((step) => faultsOf(step))).toEqual([]);
});

describe('an agent is refused when it is saved', () => {
  const agent = (...tools: JsonObject[]) => faultsOf({ id: 'a', type: 'agent', config: { prompt: 'x', tools } });

  test.each<[string, JsonObject[], string, string]>([
    ['with a type that there is not', [{ type: 'htp_request' }], 'tools[0].type', 'there is no step type htp_request'],
    ['with a knowledge base that is not named', [{ type: 'knowledge_base' }], 'tools[0].knowledge_base', 'is required'],
    ['with a skill', [{ type: 'skill' }], 'tools[0].type', 'name it in "skills"'],
    ['with itself', [{ type: 'agent' }], 'tools[0].type', 'agent cannot be a tool'],
    ['with the end of the run', [{ type: 'stop' }], 'tools[0].type', 'stop cannot be a tool'],
    ['with two tools of one name', [{ type: 'set' }, { type: 'log', name: 'set' }], 'tools[1].name', 'called set'],
    ['with a workflow that is not named', [{ type: 'workflow', name: 'w' }], 'tools[0].workflow', 'is required'],
    ['with a server without an address', [{ type: 'mcp' }], 'tools[0].url', 'is required'],
    ['with a member of another kind', [{ type: 'set', url: 'x' }], 'tools[0].url', 'not for tools of type set'],
    ['with a name that models do not take', [{ type: 'set', name: 'my tool' }], 'tools[0].name', 'pattern'],
  ])('%s', (_title, tools, path, message) => {
    expect(agent(...tools)).toMatchObject([
      { path: `steps[0].config.${path}`, message: expect.stringContaining(message) },
    ]);
  });

  test('except for values of expressions', () => {
    expect(agent({ type: '{{ trigger.tool }}' }, { type: 'http', name: '{{ trigger.name }}' })).toEqual([]);
  });
});
