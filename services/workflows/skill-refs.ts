import type { ErrorDetail } from '../../lib/errors';
import { isObject } from '../../lib/json';
import type { Call } from '../catalogue';

/** A place of a document that names a skill. */
export interface SkillRef {
  readonly path: string;
  readonly ref: string;
}

/** Step types whose configuration may list skills. */
const WITH_SKILLS: ReadonlySet<unknown> = new Set(['skill', 'agent']);
const MOST_ASKED = 200;

/** Every place of a valid document that names a skill, but for what only an expression knows. */
export function skillRefsIn(dsl: unknown): SkillRef[] {
  return [...walk(dsl, '')];
}

function* walk(value: unknown, path: string): Generator<SkillRef> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* walk(each, `${path}[${index}]`);
  } else if (isObject(value)) {
    const { type, config } = value;
    if (WITH_SKILLS.has(type) && isObject(config)) yield* refsIn(config, `${path}.config`);
    // Steps stand within steps, and never within what those are configured with.
    for (const [key, each] of Object.entries(value))
      if (key !== 'config') yield* walk(each, path === '' ? key : `${path}.${key}`);
  }
}

function* refsIn({ skill, skills }: Record<string, unknown>, path: string): Generator<SkillRef> {
  if (isName(skill)) yield { path: `${path}.skill`, ref: skill };
  for (const [index, entry] of (Array.isArray(skills) ? skills : []).entries()) {
    const named: unknown = isObject(entry) ? entry.skill : entry;
    if (isName(named)) yield { path: `${path}.skills[${index}]`, ref: named };
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && !value.includes('{{');

/** A warning for each place that names a skill which there is not: it may be made before the workflow runs. */
export async function missingSkills(call: Call, tenantId: string, dsl: unknown): Promise<ErrorDetail[]> {
  const refs = skillRefsIn(dsl);
  const asked = [...new Set(refs.map(({ ref }) => ref))].slice(0, MOST_ASKED);
  if (asked.length === 0) return [];
  const { refs: missing } = await call('skills.missing', { refs: asked }, { asServiceOf: tenantId });
  return refs.flatMap(({ path, ref }) =>
    missing.includes(ref)
      ? [{ path, message: `there is no skill ${ref}`, hint: 'create or install it before a run' }]
      : [],
  );
}
