import type { Expression, Segment } from './expression/ast';
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
export interface Uses {
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
  switch (tree.kind) {
    case 'literal':
      return;
    case 'root':
      uses.roots.push({ root: tree.name, member: null, members: [], position: tree.position });
      return;
    case 'path':
      collectPath(tree, uses);
      return;
    case 'unary':
      collect(tree.operand, uses);
      return;
    case 'binary':
      collect(tree.left, uses);
      collect(tree.right, uses);
      return;
    case 'conditional':
      for (const part of [tree.test, tree.whenTrue, tree.whenFalse]) collect(part, uses);
      return;
    case 'call': {
      const texts = tree.args.map((arg) =>
        arg.kind === 'literal' && typeof arg.value === 'string' ? arg.value : null,
      );
      uses.functions.push({ name: tree.name, texts, position: tree.position });
      for (const arg of tree.args) collect(arg, uses);
      return;
    }
    case 'list':
      for (const item of tree.items) collect(item, uses);
      return;
    case 'object':
      for (const { value } of tree.entries) collect(value, uses);
  }
}

function collectPath({ base, segments }: Extract<Expression, { kind: 'path' }>, uses: Uses): void {
  if (base.kind === 'root') {
    const members = segments.map(fixedMember);
    uses.roots.push({ root: base.name, member: members[0] ?? null, members, position: base.position });
  } else {
    collect(base, uses);
  }
  for (const segment of segments) if (segment.kind === 'index') collect(segment.value, uses);
}

function fixedMember(segment: Segment): string | null {
  if (segment.kind === 'key') return segment.name;
  return segment.value.kind === 'literal' && typeof segment.value.value === 'string' ? segment.value.value : null;
}

/** What a template uses: names of roots, ids of steps and names of secrets, each sorted and once. */
export interface TemplateRefs {
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
