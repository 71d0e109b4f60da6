import type { Json, JsonObject } from '../../../lib/json';
import { scriptTimeout } from '../../code/timeout';
import type { NodeContext, NodeSkill, Outcome } from '../../contract';
import { done } from '../../outcome';
import type { AgentInput } from '../agent/input';
import { runAgent } from '../agent/run';
import { pinSkills, readSkill } from '../skills/pin';
import { runSkillScript } from '../skills/script';
import { asksModel } from './manifest';

/** The input as its schema promises it. */
interface SkillInput extends AgentInput {
  skill: string;
  version?: string;
  script?: string;
  input?: Json;
  timeout?: string | number;
}

/** Takes the skill up as it is at the step's first look, and does with it what the input says. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
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
