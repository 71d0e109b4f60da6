import type { NodeContext, NodeSkill, Outcome } from '../../contract';
import { invalidConfig } from '../../outcome';
import { pinSkills, type SkillRequest } from '../skills/pin';

/** One entry of `skills`: an id or name, or that with a version. */
export type SkillInput = string | SkillRequest;

/** The skills that the step's input lists, as they were at the step's first look; or why the step fails. */
export async function openSkills(
  ctx: NodeContext,
  given: readonly SkillInput[],
): Promise<{ readonly kind: 'pinned'; readonly skills: readonly NodeSkill[] } | Outcome> {
  if (given.length === 0) return { kind: 'pinned', skills: [] };
  const asked = given.map((entry) => (typeof entry === 'string' ? { skill: entry } : entry));
  const pinned = await pinSkills(ctx, 'skills', asked);
  if (pinned.kind !== 'pinned') return pinned;
  const names = pinned.skills.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? pinned : invalidConfig(`"skills": ${twice} is there twice`);
}

/** Names and descriptions of skills for the model, before it has read any. */
export const rulesOf = (skills: readonly NodeSkill[]): string =>
  skills.length === 0
    ? ''
    : [
        'You have skills: know-how for some kinds of tasks. Before a task that one of them is for, read it with read_skill, and go by it.',
        ...skills.map(({ name, description }) => `- ${name}: ${description.replace(/\s+/g, ' ')}`),
      ].join('\n');

/** A skill whose instructions are in the prompt, with the paths of its files. */
export interface LoadedSkill {
  readonly skill: NodeSkill;
  readonly instructions: string;
  readonly files: readonly string[];
}

/** Its text for the model. */
export const rulesOfLoaded = ({ skill, instructions, files }: LoadedSkill): string =>
  [
    `Go by the skill ${skill.name}. Its instructions:`,
    instructions,
    ...(files.length === 0 ? [] : [`Its files, for read_skill_file and run_skill_script: ${files.join(', ')}`]),
  ].join('\n\n');

/** All skills of an agent. A skill that is both loaded and listed is loaded. */
export const withLoaded = (skills: readonly NodeSkill[], { skill }: LoadedSkill): NodeSkill[] => [
  skill,
  ...skills.filter(({ name }) => name !== skill.name),
];
