type TextFile = { readonly path: string; readonly content: string };
type BinaryFile = { readonly path: string; readonly base64: string };
/** A file of a skill, as the API takes and gives it. */
export type SkillFile = TextFile | BinaryFile;

/** Bytes of a file. */
export function fileSize(file: SkillFile): number {
  if ('content' in file) return new TextEncoder().encode(file.content).length;
  const padding = file.base64.endsWith('==') ? 2 : file.base64.endsWith('=') ? 1 : 0;
  return (file.base64.length / 4) * 3 - padding;
}

/** The files with one of them replaced, or added. */
export const withFile = (files: readonly SkillFile[], file: SkillFile): SkillFile[] =>
  [...files.filter(({ path }) => path !== file.path), file].toSorted((a, b) => (a.path < b.path ? -1 : 1));

/** Scripts that a step can run. */
export const scriptsOf = (files: readonly SkillFile[]): readonly string[] =>
  files.map(({ path }) => path).filter((path) => /^scripts\/.*\.(js|mjs|cjs)$/.test(path));

interface Trial {
  readonly skill: string;
  /** A script with its input, or a prompt for the model. */
  readonly act: { readonly script: string; readonly input: object } | { readonly prompt: string };
}

/** A document with one step that uses a skill. */
export const trialOf = ({ skill, act }: Trial) => ({
  id: 'try-skill',
  trigger: { type: 'manual', config: {} },
  steps: [{ id: 'use', type: 'skill', config: { skill, ...act } }],
});
