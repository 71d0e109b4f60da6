import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { parseSync } from '@swc/core';

/** One import of a file: `target` is a path from the project's root without extension, or a package's name. */
export interface Import {
  readonly target: string;
  readonly isPackage: boolean;
  /** Gone after compiling. */
  readonly typeOnly: boolean;
}

/** Every TypeScript file under the given folders and files of `root`, as paths from it. */
export function sourceFiles(root: string, places: readonly string[]): string[] {
  return places.flatMap((place) =>
    place.endsWith('.ts')
      ? [place]
      : readdirSync(join(root, place), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
          .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
  );
}

/** The imports of a file: static ones, re-exports, `import()`, `require()` and types named by `import('...')`. */
export function importsOf(root: string, file: string): Import[] {
  return importsIn(readFileSync(join(root, file), 'utf8'), file);
}

/** The same for a text in place of the content of `file`. */
export function importsIn(text: string, file: string): Import[] {
  const found: Import[] = [];
  visit(parseSync(text, { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2022' }), (specifier, typeOnly) => {
    const isPackage = !specifier.startsWith('.');
    const target = isPackage ? packageOf(specifier) : posix.join(posix.dirname(file), specifier);
    found.push({ target, isPackage, typeOnly });
  });
  return found;
}

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

type Node = { readonly type?: string } & Readonly<Record<string, unknown>>;
type Found = (specifier: string, typeOnly: boolean) => void;

function visit(value: unknown, found: Found): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const member of value) visit(member, found);
    return;
  }
  const node = value as Node;
  const [specifier, typeOnly] = specifierOf(node);
  if (specifier !== null) found(specifier, typeOnly);
  for (const member of Object.values(node)) visit(member, found);
}

function specifierOf(node: Node): [string | null, boolean] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return [textOf(node.source), node.typeOnly === true || onlyTypes(node.specifiers)];
    case 'TsImportType':
      return [textOf(node.argument), true];
    case 'CallExpression': {
      const callee = node.callee as Node;
      const [first] = node.arguments as { expression: Node }[];
      const loads = callee.type === 'Import' || (callee.type === 'Identifier' && callee.value === 'require');
      return [loads ? textOf(first?.expression) : null, false];
    }
    default:
      return [null, false];
  }
}

function onlyTypes(specifiers: unknown): boolean {
  const list = (specifiers ?? []) as Node[];
  return list.length > 0 && list.every((specifier) => specifier.isTypeOnly === true);
}

function textOf(node: unknown): string | null {
  const literal = node as Node | null | undefined;
  return literal?.type === 'StringLiteral' ? (literal.value as string) : null;
}
