import { sha256 } from '../../../lib/crypto';
import type { ErrorDetail } from '../../../lib/errors';
import { hashJson } from '../../../lib/json';
import type { SkillFields, SkillHead } from '../../../contracts/skills/views';
import { instructionsProblem } from './definition';
import { type Checked, fault, faulty, value } from './fault';
import { readFiles, type StoredFile } from './files';
import { readHead } from './head';

/** All of a skill but its version, which is a name for a content and no part of it. Files are sorted by path. */
export interface SkillContent {
  readonly head: Omit<SkillHead, 'version'>;
  readonly instructions: string;
  readonly files: readonly StoredFile[];
}

/** A whole skill: version and content. */
export interface WholeSkill {
  readonly version: string | null;
  readonly content: SkillContent;
}

/**
 * SHA-256 over the canonical JSON (keys in code-unit order, no blanks) of name, description, license, metadata,
 * allowed_tools, instructions, and path and SHA-256 of each file. Anybody can compute it.
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

/** The skill that fields make, over what there was; or everything that is wrong with them. */
export function readFields(given: SkillFields, before: WholeSkill | null = null): Checked<WholeSkill> {
  const { files: givenFiles, instructions: givenText, ...fields } = given;
  const head = readHead({ ...before?.content.head, version: before?.version ?? null, ...fields });
  const files = givenFiles === undefined && before !== null ? value([...before.content.files]) : readFiles(givenFiles);
  const instructions = givenText === undefined ? (before?.content.instructions ?? '') : givenText.trim();
  const problem = instructionsProblem(instructions);
  if (head.kind === 'value' && files.kind === 'value' && problem === null) {
    const { version, ...rest } = head.value;
    return value({ version, content: { head: rest, instructions, files: files.value } });
  }
  const faults: ErrorDetail[] = problem === null ? [] : [fault('instructions', problem)];
  return faulty([head, files].reduce((all, each) => (each.kind === 'faults' ? [...all, ...each.faults] : all), faults));
}
