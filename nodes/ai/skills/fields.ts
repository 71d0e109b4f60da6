import { filledText, list, objectSchema } from '../../schema';

/** A skill of the tenant. */
export const SKILL_FIELD = filledText('ID or name of a skill.', 'fill-forms', {
  title: 'Skill',
  maxLength: 100,
});

export const VERSION_FIELD = filledText(
  'Version of the skill. Default: the current one when the step starts.',
  '1.0.0',
  { title: 'Version', maxLength: 64 },
);

/** Skills that an agent may read. */
export const SKILLS_FIELD = list(
  { anyOf: [SKILL_FIELD, objectSchema({ skill: SKILL_FIELD, version: VERSION_FIELD }, ['skill'])] },
  'Names or IDs of skills of the tenant. The model receives their names and descriptions and reads the rest when needed.',
  ['fill-forms', { skill: 'invoice-check', version: '1.2.0' }],
  { title: 'Skills', maxItems: 20, default: [] },
);
