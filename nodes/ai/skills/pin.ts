import type { Json } from '../../../lib/json';
import type { NodeContext, NodeSkill, NodeSkillFile } from '../../contract';
import type { Failed } from '../../outcome';
import { platformCall } from '../../platform-call';

/** A skill by id or name, optionally at a version. */
export interface SkillRequest {
  readonly skill: string;
  readonly version?: string;
}

/** Thrown to leave a sub-step with a refusal: thrown values are not recorded, so it is requested again. */
class PinRefusedError extends Error {
  constructor(readonly outcome: Failed) {
    super('the skill cannot be taken up');
  }
}

/** Pins the skills at the first attempt: later attempts, on any host, use the same content. `part` is the sub-step. */
export async function pinSkills(
  ctx: NodeContext,
  part: string,
  asked: readonly SkillRequest[],
): Promise<{ readonly kind: 'pinned'; readonly skills: NodeSkill[] } | Failed> {
  try {
    const recorded = await ctx.once(part, async () => {
      const skills = await Promise.all(asked.map((one) => pinned(ctx, one)));
      return { value: skills.map((skill): Json => ({ ...skill })) };
    });
    // Written by the lines above.
    return { kind: 'pinned', skills: recorded as unknown as NodeSkill[] };
  } catch (thrown) {
    if (thrown instanceof PinRefusedError) return thrown.outcome;
    throw thrown;
  }
}

async function pinned(ctx: NodeContext, asked: SkillRequest): Promise<NodeSkill> {
  const answer = await platformCall(ctx, 'skill', `skill ${asked.skill}`, () => ctx.skills.pin(asked));
  if (answer.kind === 'failed') throw new PinRefusedError(answer.outcome);
  const { id, name, description, version, hash } = answer.value;
  return { id, name, description, version, hash };
}

/** The instructions of a skill, whole, and its files. */
export async function readSkill(
  ctx: NodeContext,
  { name, hash }: NodeSkill,
): Promise<
  { readonly kind: 'read'; readonly instructions: string; readonly files: readonly NodeSkillFile[] } | Failed
> {
  const answer = await platformCall(ctx, 'skill', `skill ${name}`, () => ctx.skills.read(hash));
  if (answer.kind === 'failed') return answer.outcome;
  return { kind: 'read', instructions: answer.value.text, files: answer.value.files };
}
