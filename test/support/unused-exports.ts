import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync } from '@swc/core';

/** Stands for every name of a module. */
const ALL = '*';

type Node = { readonly type?: string } & Readonly<Record<string, unknown>>;

/** The exports and imports of a file. */
interface Names {
  readonly exported: string[];
  /** `module` as it is written. */
  readonly imported: { readonly module: string; readonly name: string }[];
}

/** Names that are exported by `files` and imported by none of `users`, as `file: name`. */
export function unusedExports(root: string, files: readonly string[], users: readonly string[]): string[] {
  const known = new Set(users);
  const names = new Map(
    users.map((file) => [file, namesIn(readFileSync(join(root, file), 'utf8'), file.endsWith('x'))]),
  );
  const used = new Set<string>();
  for (const [file, { imported }] of names)
    for (const { module, name } of imported)
      if (module.startsWith('.')) used.add(`${resolved(known, posix.join(posix.dirname(file), module))} ${name}`);
  return files.flatMap((file) =>
    (names.get(file)?.exported ?? [])
      .filter((name) => !used.has(`${file} ${name}`) && !used.has(`${file} ${ALL}`))
      .map((name) => `${file}: ${name}`),
  );
}

const resolved = (files: ReadonlySet<string>, path: string): string =>
  [path, `${path}.ts`, `${path}.tsx`, `${path}/index.ts`].find((each) => files.has(each)) ?? path;

function namesIn(text: string, tsx: boolean): Names {
  const names: Names = { exported: [], imported: [] };
  visit(parseSync(text, { syntax: 'typescript', tsx, target: 'es2022' }), names);
  return names;
}

function visit(value: unknown, names: Names): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const member of value) visit(member, names);
    return;
  }
  const node = value as Node;
  collect(node, names);
  for (const member of Object.values(node)) visit(member, names);
}

function collect(node: Node, { exported, imported }: Names): void {
  const uses = (source: unknown, name: string): void => {
    const module = valueOf(source);
    if (module !== null) imported.push({ module, name });
  };
  switch (node.type) {
    case 'ImportDeclaration':
      for (const specifier of node.specifiers as Node[]) uses(node.source, importedName(specifier));
      break;
    case 'ExportNamedDeclaration':
      for (const specifier of node.specifiers as Node[]) {
        const original = valueOf(specifier.orig) ?? ALL;
        exported.push(valueOf(specifier.exported) ?? original);
        uses(node.source, original);
      }
      break;
    case 'ExportAllDeclaration':
      uses(node.source, ALL);
      break;
    case 'ExportDeclaration':
      exported.push(...declaredNames(node.declaration as Node));
      break;
    case 'TsImportType':
      uses(node.argument, valueOf(node.qualifier) ?? ALL);
      break;
    case 'CallExpression': {
      const callee = node.callee as Node;
      const [first] = node.arguments as { expression: Node }[];
      if (callee.type === 'Import' || callee.value === 'require') uses(first?.expression, ALL);
      break;
    }
    default:
  }
}

function importedName(specifier: Node): string {
  if (specifier.type === 'ImportNamespaceSpecifier') return ALL;
  if (specifier.type === 'ImportDefaultSpecifier') return 'default';
  return valueOf(specifier.imported) ?? valueOf(specifier.local) ?? ALL;
}

function declaredNames(declaration: Node): string[] {
  if (declaration.type === 'VariableDeclaration')
    return (declaration.declarations as { id: Node }[]).flatMap(({ id }) => boundNames(id));
  const name = valueOf(declaration.identifier ?? declaration.id);
  return name === null ? [] : [name];
}

function boundNames(pattern: Node): string[] {
  if (pattern.type === 'Identifier') return [pattern.value as string];
  const members = (pattern.properties ?? pattern.elements ?? []) as Node[];
  return members.flatMap((member) => boundNames((member.value ?? member.key ?? member) as Node));
}

/** The text of an identifier or a string literal. */
function valueOf(node: unknown): string | null {
  const value = (node as Node | null | undefined)?.value;
  return typeof value === 'string' ? value : null;
}
