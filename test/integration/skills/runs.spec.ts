import type { JsonObject } from '../../../lib/json';
import { executorServices } from '../../support/run-services';
import { secretsService } from '../../../services/secrets/secrets.service';
import { skillModels } from '../../../services/skills/models';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { byTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import type { Api } from '../../support/server';
import { until } from '../../support/until';
import { openSkillSite, type Skill, type SkillSite } from './site';

let models: LlmServer;
let script: LlmScript;
let site: SkillSite;

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n), { key: 'house-key' });
  site = await openSkillSite({
    services: [secretsService, workflowsService, executorServices],
    env: {
      LLM_OPENAI_API_KEY: 'house-key',
      LLM_OPENAI_BASE_URL: models.baseUrl.openai,
      LLM_OPENAI_MODEL: 'gpt-4o-mini',
    },
  });
}, 60_000);
afterAll(() => Promise.all([models?.close(), site?.close()]));

const SKILLS = '/api/v1/skills';
const SUMS = {
  description: 'Sums up.',
  version: '1.0.0',
  instructions: 'Use scripts/sum.js.',
  files: [{ path: 'scripts/sum.js', content: 'return input.reduce((sum, each) => sum + each, 0)' }],
};
const create = (name: string, change: object = {}): Promise<Skill> =>
  site.ann.call<Skill>('POST', SKILLS, { name, ...SUMS, ...change });

interface Run {
  id: string;
  status: string;
  output: JsonObject;
  error: { code: string; message: string } | null;
  waiting: { name: string; kind: string }[];
}

async function start(steps: JsonObject[], api: Api = site.ann): Promise<string> {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
  const { id } = await api.call<Run>('POST', '/api/v1/workflows', { name: 'Flow', dsl });
  return (await api.call<Run>('POST', `/api/v1/workflows/${id}/trigger`, {})).id;
}
const ended = (id: string, api: Api = site.ann): Promise<Run> =>
  until('the run has ended', async () => {
    const run = await api.call<Run>('GET', `/api/v1/executions/${id}`);
    return run.status === 'running' ? null : run;
  });
const step = (config: JsonObject, type = 'skill'): JsonObject => ({ id: 'it', type, config });
const run = async (config: JsonObject, api: Api = site.ann): Promise<Run> =>
  ended(await start([step(config)], api), api);
const use = (name: string, input: JsonObject): LlmReply => ({ kind: 'tools', calls: [{ name, input }] });
const says = (text: string): LlmReply => ({ kind: 'text', text });

test('a step runs a script of a skill, in the version that it names, and says which that was', async () => {
  const { id, hash } = await create('sums');
  await site.ann.call('POST', `${SKILLS}/${id}/publish`, {});
  const files = [{ path: 'scripts/sum.js', content: 'return "changed"' }];
  const changed = await site.ann.call<Skill>('PUT', `${SKILLS}/${id}`, { files });
  const asked = { skill: 'sums', script: 'scripts/sum.js', input: [1, 2, 3] };
  expect(await run(asked)).toMatchObject({ output: { result: 'changed', version: '1.0.0', hash: changed.hash } });
  expect(await run({ ...asked, version: '1.0.0' })).toMatchObject({ output: { result: 6, version: '1.0.0', hash } });
  expect(await run({ ...asked, skill: id, version: '1.0.0' })).toMatchObject({ output: { result: 6 } });
  expect(await run({ ...asked, version: '2.0.0' })).toMatchObject({
    status: 'failed',
    error: { code: 'skill_not_found' },
  });
});

test('a copy is used in the version that is installed', async () => {
  const { id } = await create('shared');
  await site.ann.call('POST', `${SKILLS}/${id}/publish`, {});
  const copy = await site.bob.call<Skill>('POST', `${SKILLS}/registry/install`, { id, name: 'copied' });
  await site.bob.call('PUT', `${SKILLS}/${copy.id}`, { instructions: 'Changed here.' });
  expect(await run({ skill: 'copied' }, site.bob)).toMatchObject({ output: { instructions: 'Changed here.' } });
  expect(await run({ skill: 'copied', version: '1.0.0' }, site.bob)).toMatchObject({
    output: {
      skill: 'copied',
      version: '1.0.0',
      instructions: 'Use scripts/sum.js.',
      files: [{ path: 'scripts/sum.js', size: 49 }],
    },
  });
});

test('skills of another tenant are none, by name or id', async () => {
  const { id } = await create('ours');
  for (const skill of ['ours', id])
    expect(await run({ skill }, site.bob)).toMatchObject({ status: 'failed', error: { code: 'skill_not_found' } });
});

test('a script is given the texts that it names, long ones whole, and none that is too long', async () => {
  await create('tables', {
    files: [
      { path: 'assets/long.txt', content: `${'x'.repeat(128 * 1024 - 1)}😀${'y'.repeat(100_000)}` },
      { path: 'assets/too-long.txt', content: 'z'.repeat(512 * 1024 + 1) },
      { path: 'scripts/long.js', content: 'const text = files["assets/long.txt"]; return [text.length, text.at(-1)]' },
      { path: 'scripts/too-long.js', content: 'return files["assets/too-long.txt"].length' },
    ],
  });
  expect(await run({ skill: 'tables', script: 'long.js' })).toMatchObject({ output: { result: [231_073, 'y'] } });
  expect(await run({ skill: 'tables', script: 'too-long.js' })).toMatchObject({ error: { code: 'input_too_large' } });
});

test('a script reaches nothing, and ends in its time', async () => {
  const reach = [
    'const names = ["process", "require", "fetch", "Buffer", "setTimeout", "WebSocket"];',
    'return names.filter((name) => name in globalThis);',
  ].join('\n');
  await create('curious', {
    files: [
      { path: 'scripts/reach.js', content: reach },
      { path: 'scripts/loop.js', content: 'while (true);' },
    ],
  });
  expect(await run({ skill: 'curious', script: 'reach.js' })).toMatchObject({ output: { result: [] } });
  expect(await run({ skill: 'curious', script: 'loop.js', timeout: '100ms' })).toMatchObject({
    error: { code: 'timed_out' },
  });
});

test('an agent that waits goes on with the skill that it began with, though that was changed, and deleted', async () => {
  const { id, hash } = await create('patient');
  script = byTurn(
    use('read_skill', { name: 'patient' }),
    use('set', { a: 1 }),
    use('run_skill_script', { name: 'patient', script: 'scripts/sum.js', input: [40, 2] }),
    says('42'),
  );
  const started = await start([
    step({ prompt: 'Sum up', skills: ['patient'], tools: [{ type: 'set', approval: true }] }, 'agent'),
  ]);
  const { name } = await until('the run waits', async () => {
    const { waiting } = await site.ann.call<Run>('GET', `/api/v1/executions/${started}`);
    return waiting.find(({ kind }) => kind === 'approval') ?? null;
  });
  await site.ann.call('PUT', `${SKILLS}/${id}`, { files: [{ path: 'scripts/sum.js', content: 'return "changed"' }] });
  await site.ann.ask('DELETE', `${SKILLS}/${id}`);
  await site.ann.call('POST', `/api/v1/executions/${started}/signal`, { signal: name, data: { approved: true } });
  expect(await ended(started)).toMatchObject({
    status: 'completed',
    output: {
      text: '42',
      tool_calls: [
        { name: 'read_skill', output: { instructions: 'Use scripts/sum.js.' } },
        { name: 'set' },
        { name: 'run_skill_script', output: { result: 42 } },
      ],
    },
  });
  expect(await skillModels(site.app.app.db).contents.countDocuments({ hash })).toBe(1);
  // Each turn was asked for once, whatever the run has waited for in between.
  expect(models.seen.map(({ answersBefore }) => answersBefore)).toEqual([0, 1, 2, 3]);
});

test('a model works by a skill that is loaded from the beginning', async () => {
  await create('loaded', { instructions: 'Answer in French.' });
  script = byTurn(says('Oui.'));
  const before = models.seen.length;
  expect(await run({ skill: 'loaded', prompt: 'Yes?' })).toMatchObject({
    output: { text: 'Oui.', skill: 'loaded', turns: 1 },
  });
  expect(JSON.stringify(models.seen[before]?.body)).toContain('Answer in French.');
});

test.each<[string, JsonObject, string]>([
  ['a script and a prompt', { skill: 'x', script: 'a.js', prompt: 'y' }, 'config'],
  ['no skill', { script: 'a.js' }, 'config'],
  ['an input without a script', { skill: 'x', input: 1 }, 'config.input'],
  ['tools without a prompt', { skill: 'x', tools: [] }, 'config.tools'],
])('%s is refused when the workflow is saved', async (_title, config, path) => {
  const dsl = { id: 'flow', trigger: { type: 'manual' }, steps: [step(config)] };
  const { body } = await site.ann.ask<{ errors: { path: string }[] }>('POST', '/api/v1/workflows/validate', { dsl });
  expect(body.errors.map((fault) => fault.path)).toContainEqual(expect.stringMatching(`^steps\\[0\\]\\.${path}`));
});

test('a skill that there is not is a warning when the workflow is saved, wherever it is named', async () => {
  const { id } = await create('known');
  const dsl = {
    id: 'flow',
    trigger: { type: 'manual' },
    steps: [
      { id: 'a', type: 'skill', config: { skill: 'unknown' } },
      { id: 'b', type: 'skill', config: { skill: '{{ trigger.skill }}' } },
      { id: 'c', type: 'skill', config: { skill: id } },
      {
        id: 'd',
        type: 'foreach',
        config: { items: [1] },
        steps: [{ id: 'e', type: 'agent', config: { prompt: 'x', skills: ['known', { skill: 'gone' }] } }],
      },
      { id: 'f', type: 'set', config: { type: 'skill', config: { skill: 'data' } } },
    ],
  };
  const { body } = await site.ann.ask<{ valid: boolean; warnings: { path: string }[] }>(
    'POST',
    '/api/v1/workflows/validate',
    { dsl },
  );
  expect(body).toMatchObject({ valid: true });
  expect(body.warnings.map(({ path }) => path)).toEqual([
    'steps[0].config.skill',
    'steps[3].steps[0].config.skills[1]',
  ]);
  const foreign = await site.bob.call('POST', '/api/v1/workflows', { name: 'Flow', dsl });
  expect(foreign.warnings).toHaveLength(4);
});
