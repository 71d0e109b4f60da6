import { sha256 } from '../../lib/crypto';
import type { CaseSkill } from '../nodes/node-case';
import type { PlatformResult, NodeSkills } from '../../nodes/contract';

const refused = <T>(message: string): PlatformResult<T> => ({
  kind: 'refused',
  error: { code: 'skill_not_found', message },
  retryable: false,
});
const done = <T>(value: T): PlatformResult<T> => ({ kind: 'done', value });

/** The hash under which a skill is read here. */
export const fakeHash = (name: string, skill: CaseSkill): string => sha256(JSON.stringify([name, skill]));

/** Skills in memory, by name. A skill stays readable by its hash after it was changed or removed, as runs expect. */
export function fakeSkills(skills: Map<string, CaseSkill> = new Map()): NodeSkills {
  const seen = new Map<string, CaseSkill>();
  const cut = (text: string, { offset = 0, limit = text.length }: { offset?: number; limit?: number } = {}): string =>
    text.slice(offset, offset + limit);
  return {
    async pin({ skill: name, version }) {
      const skill = skills.get(name);
      if (skill === undefined) return refused(`There is no skill ${name}`);
      if (version !== undefined && version !== skill.version) return refused(`${name} has no version ${version}`);
      const hash = fakeHash(name, skill);
      seen.set(hash, skill);
      return done({ id: `id-of-${name}`, name, description: skill.description, version: skill.version ?? null, hash });
    },
    async read(hash, range) {
      const skill = seen.get(hash);
      if (skill === undefined) return refused('This content is gone');
      const files = Object.entries(skill.files ?? {}).map(([path, text]) => ({
        path,
        size: text?.length ?? 1,
        text: text !== null,
      }));
      return done({ text: cut(skill.instructions, range), total: skill.instructions.length, files });
    },
    async readFile(hash, path, range) {
      const text = seen.get(hash)?.files?.[path];
      if (text === undefined) return refused(`The skill has no file ${path}`);
      if (text === null) return done({ text, size: 1, total: 0 });
      return done({ text: cut(text, range), size: text.length, total: text.length });
    },
  };
}
