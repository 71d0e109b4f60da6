import type { ConfigFinding } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import { scriptTimeout } from '../code/timeout';
import type { JsonSchema, NodeContext, NodeSkill, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done } from '../outcome';
import { anyValue, atMostOneOf, durationSchema, filledText, list, objectSchema, text } from '../schema';
import { agentNode as agent } from './agent';
import { check as checkAgent } from './agent/check';
import type { AgentInput } from './agent/input';
import { runAgent } from './agent/run';
import { SKILL_FIELD, VERSION_FIELD } from './skills/fields';
import { pinSkills, readSkill } from './skills/pin';
import { runSkillScript } from './skills/script';

/** Members that count with a script alone. */
const OF_SCRIPTS = ['input', 'timeout'] as const;
/** Members that count with a prompt alone, of those that are easily taken for others. */
const OF_MODELS = ['tools', 'skills', 'system', 'instructions', 'output_schema', 'model', 'provider'] as const;

/** Checks that the schema cannot express: members without effect, and the rules of agents. */
function check(config: JsonObject, known: (type: string) => boolean): ConfigFinding[] {
  const has = (key: string): boolean => Object.hasOwn(config, key);
  const model = has('prompt') || has('messages');
  const idle = [
    ...(has('script') ? [] : OF_SCRIPTS.map((key) => ({ key, needs: '"script"' }))),
    ...(model ? [] : OF_MODELS.map((key) => ({ key, needs: '"prompt" or "messages"' }))),
  ];
  return [
    ...idle
      .filter(({ key }) => has(key))
      .map(({ key, needs }): ConfigFinding => ({ kind: 'error', path: key, message: `counts with ${needs} alone` })),
    ...checkAgent(config, known),
  ];
}

/** The input, validated by the schema. */
interface SkillInput extends AgentInput {
  skill: string;
  version?: string;
  script?: string;
  input?: Json;
  timeout?: string | number;
}

/** Pins the skill at the first attempt, and uses it as configured. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const { skill: ref, version, script, input = {}, timeout, ...agent } = ctx.input as unknown as SkillInput;
  const timeoutMs = scriptTimeout(timeout);
  if (typeof timeoutMs !== 'number') return timeoutMs;
  const pinned = await pinSkills(ctx, 'skill', [{ skill: ref, ...(version === undefined ? {} : { version }) }]);
  if (pinned.kind !== 'pinned') return pinned;
  const [skill] = pinned.skills as [NodeSkill];
  if (script !== undefined) {
    const ran = await runSkillScript(ctx, skill, { script, input, timeoutMs });
    return ran.kind === 'value' ? done({ ...used(skill), result: ran.value }) : ran;
  }
  const read = await readSkill(ctx, skill);
  if (read.kind !== 'read') return read;
  const { instructions, files } = read;
  if (!asksModel(ctx.input))
    return done({ ...used(skill), instructions, files: files.map(({ path, size }) => ({ path, size })) });
  const loaded = { skill, instructions, files: files.map(({ path }) => path) };
  const outcome = await runAgent(ctx, agent, loaded);
  return outcome.kind === 'done' ? { ...outcome, output: { ...outcome.output, ...used(skill) } } : outcome;
}

/** Which skill it was. */
const used = ({ name, version, hash }: NodeSkill): JsonObject => ({ skill: name, version, hash });

const membersOf = (schema: JsonSchema): Record<string, JsonSchema> => schema.properties as Record<string, JsonSchema>;

/** True if a model uses the skill. */
const asksModel = (config: JsonObject): boolean => Object.hasOwn(config, 'prompt') || Object.hasOwn(config, 'messages');

export const skillNode = defineNode({
  type: 'skill',
  title: 'Skill',
  description:
    'Uses a skill of the tenant: runs one of its scripts, lets a model work with it (prompt, and the fields of an agent), or returns its instructions and file names.',
  category: 'AI',
  effect: (config) => (asksModel(config) ? 'write' : 'read'),
  onInterrupted: 'retry',
  timeoutMs: agent.timeoutMs ?? 0,
  input: objectSchema(
    {
      skill: SKILL_FIELD,
      version: VERSION_FIELD,
      script: filledText(
        'Path of a script of the skill, which runs in the sandbox of the step code.',
        'scripts/sum.js',
        { maxLength: 1_024 },
      ),
      input: anyValue(
        'Any value; available to the script as input.',
        { prices: '{{ trigger.body.prices }}' },
        { title: 'Input of the script', default: {} },
      ),
      timeout: durationSchema('Script timeout', 'Maximum duration. Default: 5 s; at most 5 m.', '2s'),
      ...membersOf(agent.input),
    },
    ['skill'],
    atMostOneOf('script', 'prompt', 'messages'),
  ),
  output: objectSchema(
    {
      skill: text('Name.'),
      version: {
        title: 'Version',
        description: 'Version that was used; null if the skill has none.',
        anyOf: [{ type: 'string' }, { type: 'null' }],
      },
      hash: text('SHA-256 of the content that was used.'),
      result: anyValue('Return value of the script.'),
      instructions: text('Instructions of the skill, without a script and a prompt.'),
      files: list({ type: 'object' }, 'Files besides the instructions: `path`, and `size` in bytes.'),
      ...membersOf(agent.output),
    },
    ['skill', 'version', 'hash'],
  ),
  check,
  run,
});
