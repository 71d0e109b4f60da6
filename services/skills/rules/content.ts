import { sha256 } from '../../../lib/crypto';
import type { ErrorDetail } from '../../../lib/errors';
import { hashJson } from '../../../lib/json';
import type { SkillFields, SkillHead } from '../../../contracts/skills/views';
import { instructionsProblem } from './definition';
import { type Validation, errorAt, invalid, valid } from './validation';
import { parseFiles, type StoredFile } from './files';
import { parseHead } from './head';

/** A skill without its version, which names a content and is not part of it. Files are sorted by path. */
export interface SkillContent {
  readonly head: Omit<SkillHead, 'version'>;
  readonly instructions: string;
  readonly files: readonly StoredFile[];
}

export interface WholeSkill {
  readonly version: string | null;
  readonly content: SkillContent;
}

/**
 * SHA-256 over the canonical JSON (keys in code-unit order, no whitespace) of name, description, license, metadata,
 * allowed_tools, instructions, and path and SHA-256 of each file. Clients can compute it.
 */
export const hashOf = ({ head, instructions, files }: SkillContent): string =>
  hashJson({
    ...head,
    instructions,
    files: files.map(({ path, bytes }) => ({ path, sha256: sha256(bytes) })),
  });

/** Bytes of instructions and files. */
export const bytesOf = ({ instructions, files }: SkillContent): number =>
  files.reduce((sum, { bytes }) => sum + bytes.length, Buffer.byteLength(instructions));

/** Applies the given fields to `before`. Returns the skill, or all errors. */
export function applyFields(given: SkillFields, before: WholeSkill | null = null): Validation<WholeSkill> {
  const { files: givenFiles, instructions: givenText, ...fields } = given;
  const head = parseHead({ ...before?.content.head, version: before?.version ?? null, ...fields });
  const files = givenFiles === undefined && before !== null ? valid([...before.content.files]) : parseFiles(givenFiles);
  const instructions = givenText === undefined ? (before?.content.instructions ?? '') : givenText.trim();
  const problem = instructionsProblem(instructions);
  if (head.kind === 'valid' && files.kind === 'valid' && problem === null) {
    const { version, ...rest } = head.value;
    return valid({ version, content: { head: rest, instructions, files: files.value } });
  }
  const errors: ErrorDetail[] = problem === null ? [] : [errorAt('instructions', problem)];
  return invalid(
    [head, files].reduce((all, each) => (each.kind === 'invalid' ? [...all, ...each.errors] : all), errors),
  );
}
