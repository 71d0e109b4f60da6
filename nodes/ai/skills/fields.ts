import type { JsonSchema } from '../../contract';
import { objectSchema } from '../../schema';

/** A skill of the tenant. */
export const SKILL_FIELD = {
  type: 'string',
  title: 'Skill',
  description: 'ID or name of a skill.',
  minLength: 1,
  maxLength: 100,
  examples: ['fill-forms'],
} as const satisfies JsonSchema;

export const VERSION_FIELD = {
  type: 'string',
  title: 'Version',
  description: 'Version of the skill. Default: the current one when the step starts.',
  minLength: 1,
  maxLength: 64,
  examples: ['1.0.0'],
} as const satisfies JsonSchema;

/** Skills that an agent may read. */
export const SKILLS_FIELD = {
  type: 'array',
  title: 'Skills',
  description:
    'Names or IDs of skills of the tenant. The model receives their names and descriptions and reads the rest when needed.',
  items: { anyOf: [SKILL_FIELD, objectSchema({ skill: SKILL_FIELD, version: VERSION_FIELD }, ['skill'])] },
  maxItems: 20,
  default: [],
  examples: [['fill-forms', { skill: 'invoice-check', version: '1.2.0' }]],
} as const satisfies JsonSchema;
