import { type Expression, partsOf, type Segment } from './expression/ast';
import type { CompiledExpression, Template } from './template';

/** A use of a root. `member` is what follows it directly (`fetch` in `steps.fetch`), null when that is not fixed. */
export interface RootUse {
  readonly root: string;
  readonly member: string | null;
  /** Everything that follows: `parent` and `item` in `loop.parent.item`; null for what is not fixed. */
  readonly members: readonly (string | null)[];
  readonly position: number;
}

/** A call of a function; `texts` are its arguments, null for those that are no literal text. */
export interface FunctionUse {
  readonly name: string;
  readonly texts: readonly (string | null)[];
  readonly position: number;
}

/** What an expression uses, in the order of its text. */
interface Uses {
  readonly roots: RootUse[];
  readonly functions: FunctionUse[];
}

/** Every root and function that an expression uses, wherever it stands in it. */
export function usesOf(tree: Expression): Uses {
  const uses: Uses = { roots: [], functions: [] };
  collect(tree, uses);
  return uses;
}

function collect(tree: Expression, uses: Uses): void {
  const { roots, functions } = uses;
  if (tree.kind === 'call') {
    functions.push({ name: tree.name, texts: tree.args.map(fixedText), position: tree.position });
  }
  if (tree.kind === 'root') roots.push({ root: tree.name, member: null, members: [], position: tree.position });
  const [base, ...others] = partsOf(tree);
  if (tree.kind === 'path' && tree.base.kind === 'root') {
    // The root and what follows it are one use.
    roots.push({ root: tree.base.name, ...membersOf(tree.segments), position: tree.base.position });
  } else if (base !== undefined) {
    collect(base, uses);
  }
  for (const part of others) collect(part, uses);
}

function membersOf(segments: readonly Segment[]): Pick<RootUse, 'member' | 'members'> {
  const members = segments.map((segment) => (segment.kind === 'key' ? segment.name : fixedText(segment.value)));
  return { member: members[0] ?? null, members };
}

const fixedText = (value: Expression): string | null =>
  value.kind === 'literal' && typeof value.value === 'string' ? value.value : null;

/** What a template uses: names of roots, ids of steps and names of secrets, each sorted and once. */
interface TemplateRefs {
  readonly roots: readonly string[];
  readonly steps: readonly string[];
  readonly secrets: readonly string[];
  readonly usesSecret: boolean;
}

/** The fixed references of a template; one made at run time, as in `steps[trigger.id]`, shows only as its root. */
export function templateRefs(template: Template): TemplateRefs {
  const uses = expressionsOf(template).flatMap(({ tree }) => usesOf(tree).roots);
  const members = (root: string): string[] =>
    sorted(uses.flatMap((use) => (use.root === root && use.member !== null ? [use.member] : [])));
  const roots = sorted(uses.map(({ root }) => root));
  return { roots, steps: members('steps'), secrets: members('secret'), usesSecret: roots.includes('secret') };
}

/** The members of a root that a template names; with null, where it may use any: `vars`, or `vars[trigger.name]`. */
export const membersUsed = (template: Template, root: string): readonly (string | null)[] =>
  expressionsOf(template)
    .flatMap(({ tree }) => usesOf(tree).roots)
    .flatMap((use) => (use.root === root ? [use.member] : []));

/** Whether a template uses a root, wherever it stands in it. */
export const usesRoot = (template: Template, root: string): boolean =>
  expressionsOf(template).some(({ tree }) => usesOf(tree).roots.some((use) => use.root === root));

/** Every expression of a template. */
function expressionsOf(template: Template): CompiledExpression[] {
  switch (template.kind) {
    case 'constant':
      return [];
    case 'expression':
      return [template.expression];
    case 'text':
      return template.parts.filter((part) => typeof part !== 'string');
    case 'list':
      return template.items.flatMap(expressionsOf);
    case 'object':
      return template.entries.flatMap(([, value]) => expressionsOf(value));
  }
}

const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort();

/** Ids of the steps that a template reads; null when it may read any. */
export function stepsUsed(template: Template): readonly string[] | null {
  const uses = expressionsOf(template)
    .flatMap(({ tree }) => usesOf(tree).roots)
    .filter(({ root }) => root === 'steps');
  const ids = uses.flatMap(({ member }) => (member === null ? [] : [member]));
  return ids.length < uses.length ? null : sorted(ids);
}
