import type { Expression } from './expression/ast';
import type { CompiledExpression, Template } from './template';

/** A use of a root: what follows it directly (`steps.fetch` has the member `fetch`), null when that is not fixed. */
export interface RootUse {
  readonly root: string;
  readonly member: string | null;
  /** True when nothing at all follows: the whole root is the value. */
  readonly whole: boolean;
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
      uses.roots.push({ root: tree.name, member: null, whole: true, position: tree.position });
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
  const first = segments[0];
  if (base.kind === 'root' && first !== undefined) {
    const literal = first.kind === 'index' && first.value.kind === 'literal' ? first.value.value : null;
    const member = first.kind === 'key' ? first.name : typeof literal === 'string' ? literal : null;
    uses.roots.push({ root: base.name, member, whole: false, position: base.position });
  } else {
    collect(base, uses);
  }
  for (const segment of segments) if (segment.kind === 'index') collect(segment.value, uses);
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
