import { SandboxPool } from '../../../lib/sandbox';
import { createEgress, parseEgressAllow } from '../../../lib/egress';
import type { JsonObject } from '../../../lib/json';
import { agentNode } from '../../../nodes/ai/agent';
import { skillNode } from '../../../nodes/ai/skill';
import type { CaseSkill } from '../../nodes/node-case';
import type { NodeType, Outcome } from '../../../nodes/contract';
import { byTurn, type LlmReply, type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { fakeSkills } from '../../support/skills';
import { BARE_CAPABILITIES, createContext } from '../../unit/nodes/context';
import { CutNotes } from '../../unit/nodes/cut-notes';
import { Notes } from '../../unit/nodes/notes';

let models: LlmServer;
let script: LlmScript;
const egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });
const pool = new SandboxPool({ policy: { warm: 1, max: 1 } });

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n));
});
afterAll(() => Promise.all([models.close(), egress.close(), pool.close()]));
beforeEach(() => {
  (models.seen as unknown[]).length = 0;
});

const FORMS: CaseSkill = {
  description: 'Fills forms.',
  version: '1.0.0',
  instructions: 'Ask for the form first. Then run scripts/sum.js.',
  files: {
    'scripts/sum.js': 'return input.a + input.b',
    'references/long.md': 'x'.repeat(45_000),
    'assets/logo.png': null,
  },
};

const shelf = (): Map<string, CaseSkill> =>
  new Map([
    ['forms', FORMS],
    ['poems', { description: 'Writes poems.', instructions: 'Rhyme, and never tell.' }],
  ]);

/** One attempt; those that share `notes` and `skills` are of one step. */
async function attempt(
  input: JsonObject,
  { skills = fakeSkills(shelf()), notes = new Notes(), node = agentNode as NodeType } = {},
): Promise<Outcome> {
  const asked = { provider: 'openai-compatible', model: 'm', base_url: models.baseUrl.openai, prompt: 'Go', ...input };
  const ctx = createContext(asked, [], {
    http: egress,
    capabilities: { ...BARE_CAPABILITIES, sandbox: pool.lane('test') },
    skills,
    once: notes.once,
    checkpoint: notes.noted,
  });
  return node.run(ctx);
}

const use = (...calls: { name: string; input: JsonObject }[]): LlmReply => ({ kind: 'tools', calls });
const says = (text: string): LlmReply => ({ kind: 'text', text });
const requestOf = (n: number): JsonObject => models.seen[n]?.body ?? {};
const systemIn = (n: number): string => JSON.stringify((requestOf(n).messages as JsonObject[])[0]);
const toolsIn = (n: number): string[] =>
  ((requestOf(n).tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
const outputOf = (outcome: Outcome): JsonObject => {
  if (outcome.kind !== 'done') throw new Error(`not done: ${JSON.stringify(outcome)}`);
  return outcome.output;
};
const usesOf = (outcome: Outcome) => outputOf(outcome).tool_calls as { output?: JsonObject; error?: JsonObject }[];

test('the model gets skills by name and description alone, until it reads one', async () => {
  script = byTurn(use({ name: 'read_skill', input: { name: 'forms' } }), says('ok'));
  await attempt({ skills: ['forms', { skill: 'poems' }], system: 'Be kind.' });
  expect(systemIn(0)).toContain('Be kind.');
  expect(systemIn(0)).toContain('- forms: Fills forms.');
  expect(systemIn(0)).toContain('- poems: Writes poems.');
  expect(JSON.stringify(requestOf(0))).not.toContain('Ask for the form');
  expect(toolsIn(0)).toEqual(['read_skill', 'read_skill_file', 'run_skill_script']);
  expect(JSON.stringify(requestOf(1))).toContain('Ask for the form');
  expect(JSON.stringify(requestOf(1))).not.toContain('never tell');
});

test('an agent without skills has none of their tools', async () => {
  script = byTurn(says('ok'));
  await attempt({});
  expect([toolsIn(0), systemIn(0)]).toEqual([[], expect.not.stringContaining('skill')]);
});

test('scripts run in the sandbox, and a wrong use is reported to the model', async () => {
  const requested: { name: string; input: JsonObject }[] = [
    { name: 'run_skill_script', input: { name: 'forms', script: 'sum.js', input: { a: 1, b: 2 } } },
    { name: 'run_skill_script', input: { name: 'forms', script: 'scripts/none.js' } },
    { name: 'run_skill_script', input: { name: 'forms', script: 'assets/logo.png' } },
    { name: 'read_skill', input: { name: 'others' } },
    { name: 'read_skill_file', input: { name: 'forms', path: '../../etc/passwd' } },
    { name: 'read_skill_file', input: { name: 'forms', path: 'assets/logo.png' } },
    { name: 'read_skill_file', input: { name: 'forms' } },
  ];
  script = byTurn(use(...requested), says('ok'));
  const uses = usesOf(await attempt({ skills: ['forms'] }));
  expect(uses.map(({ output, error }) => output?.result ?? error?.code)).toEqual([
    3,
    'skill_not_found',
    'unsupported_script',
    'invalid_input',
    'skill_not_found',
    'no_text',
    'invalid_input',
  ]);
});

test('a long file is read in pieces', async () => {
  const at = (offset: number) => ({
    name: 'read_skill_file',
    input: { name: 'forms', path: 'references/long.md', offset },
  });
  script = byTurn(use(at(0)), use(at(20_000)), use(at(40_000)), says('ok'));
  const pieces = usesOf(await attempt({ skills: ['forms'] })).map(({ output }) => output as JsonObject);
  expect(pieces.map(({ next_offset }) => next_offset)).toEqual([20_000, 40_000, undefined]);
  expect(pieces.map(({ content }) => String(content)).join('')).toBe(FORMS.files?.['references/long.md']);
});

test('a tool of the author may not take the name of one of theirs, nor a skill be there twice', async () => {
  for (const input of [
    { skills: ['forms'], tools: [{ type: 'workflow', workflow: 'w', name: 'read_skill' }] },
    { skills: ['forms', 'forms'] },
    { tools: [{ type: 'skill', config: { skill: 'forms' } }] },
  ] as JsonObject[])
    expect(await attempt(input)).toMatchObject({ kind: 'fail', error: { code: 'invalid_config' } });
  expect(models.seen).toHaveLength(0);
});

test('whenever an attempt ends, the next one goes on with the skills of the first read, though they have changed', async () => {
  const turns = [
    use({ name: 'read_skill', input: { name: 'forms' } }),
    use({ name: 'run_skill_script', input: { name: 'forms', script: 'scripts/sum.js', input: { a: 40, b: 2 } } }),
    says('42'),
  ];
  script = byTurn(...turns);
  const undisturbed = outputOf(await attempt({ skills: ['forms'] }));
  const parts = 6;
  for (let k = 1; k <= parts; k++) {
    const skills = shelf();
    const notes = new CutNotes(k);
    const world = { skills: fakeSkills(skills), notes };
    await expect(attempt({ skills: ['forms'] }, world)).rejects.toThrow('cut off');
    skills.set('forms', { ...FORMS, instructions: 'Changed.', files: { 'scripts/sum.js': 'return "changed"' } });
    skills.delete('poems');
    notes.mend();
    expect([k, outputOf(await attempt({ skills: ['forms'] }, world))]).toEqual([k, undisturbed]);
  }
  // Each read, answer and use is recorded once.
  const notes = new CutNotes(parts + 1);
  await attempt({ skills: ['forms'] }, { skills: fakeSkills(shelf()), notes });
  expect(notes.done).toEqual([
    'skills',
    'turn-1/model',
    'turn-1/call-1',
    'turn-2/model',
    'turn-2/call-1',
    'turn-3/model',
  ]);
});

test('a skill that could not be taken up is looked for again by the next attempt', async () => {
  const skills = new Map<string, CaseSkill>();
  const world = { skills: fakeSkills(skills), notes: new Notes() };
  expect(await attempt({ skills: ['forms'] }, world)).toMatchObject({ error: { code: 'skill_not_found' } });
  skills.set('forms', FORMS);
  script = byTurn(says('ok'));
  expect(await attempt({ skills: ['forms'] }, world)).toMatchObject({ kind: 'done' });
});

describe('the step skill', () => {
  test('with a prompt tells the instructions at once, and takes further skills and tools', async () => {
    script = byTurn(use({ name: 'read_skill', input: { name: 'poems' } }), says('ok'));
    const output = outputOf(await attempt({ skill: 'forms', skills: ['poems', 'forms'] }, { node: skillNode }));
    expect(systemIn(0)).toContain('Ask for the form first.');
    expect(systemIn(0)).toContain('scripts/sum.js, references/long.md, assets/logo.png');
    expect(toolsIn(0)).toContain('run_skill_script');
    expect(output).toMatchObject({ skill: 'forms', version: '1.0.0', text: 'ok', turns: 2 });
  });

  test('that begins again runs the script that was there when it began', async () => {
    const skills = shelf();
    const notes = new CutNotes(1);
    const before = createContext({ skill: 'forms', script: 'scripts/sum.js', input: { a: 1, b: 1 } }, [], {
      capabilities: { ...BARE_CAPABILITIES, sandbox: pool.lane('test') },
      skills: fakeSkills(skills),
      once: notes.once,
      checkpoint: notes.noted,
    });
    await expect(Promise.resolve(skillNode.run(before))).rejects.toThrow('cut off');
    skills.set('forms', { ...FORMS, files: { 'scripts/sum.js': 'return "changed"' } });
    notes.mend();
    expect(await skillNode.run(before)).toMatchObject({ kind: 'done', output: { result: 2 } });
  });
});
