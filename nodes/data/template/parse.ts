import { type FieldPath, parseFieldPath } from '../../../lib/field-path';
import { misconfigured } from '../computed';
import { type Token, tokensOf } from './tokens';

/** The reference of a tag: a field, the item itself, or the position in the list. */
export type Name = { readonly kind: 'field'; readonly path: FieldPath } | { readonly kind: 'item' } | PositionReference;

type PositionReference = { readonly kind: 'index' | 'first' | 'last' };

/** A template, read. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: Name; readonly raw: boolean }
  | { readonly kind: 'section'; readonly name: Name; readonly inverted: boolean; readonly parts: readonly Part[] };

/** A section that is not closed yet; the whole template is one without a name. */
interface OpenSection {
  readonly tag: string;
  readonly line: number;
  readonly parts: Part[];
}

type Tag = Extract<Token, { kind: 'tag' }>;

const MAX_DEPTH = 50;

/** Reads a template as Mustache, with `<%` and `%>` around its tags. @throws Refusal that names the line */
export function parseTemplate(template: string): readonly Part[] {
  const open: OpenSection[] = [{ tag: '', line: 1, parts: [] }];
  for (const token of tokensOf(template)) {
    // There is always the whole template, which no tag closes.
    const here = open.at(-1) as OpenSection;
    if (token.kind === 'text') here.parts.push(token);
    else handleTag(token, here, open);
  }
  const last = open.at(-1) as OpenSection;
  if (open.length > 1) throw misconfigured(`line ${last.line}: the section "${last.tag}" is never closed`);
  return last.parts;
}

function handleTag(tag: Tag, here: OpenSection, open: OpenSection[]): void {
  const { sign, name, line } = tag;
  switch (sign) {
    case '':
    case '&':
      here.parts.push({ kind: 'value', name: nameOf(tag), raw: sign === '&' });
      return;
    case '#':
    case '^': {
      if (open.length > MAX_DEPTH) throw misconfigured(`line ${line}: sections are nested more than ${MAX_DEPTH} deep`);
      const parts: Part[] = [];
      here.parts.push({ kind: 'section', name: nameOf(tag), inverted: sign === '^', parts });
      open.push({ tag: name, line, parts });
      return;
    }
    case '/':
      if (open.length === 1 || here.tag !== name) throw misconfigured(`line ${line}: "/${name}" closes no section`);
      open.pop();
      return;
    case '!':
      return;
    default:
      throw misconfigured(`line ${line}: tags with ${sign} are not known here`);
  }
}

function nameOf({ name, line }: Tag): Name {
  if (name === '.') return { kind: 'item' };
  if (name === '@index' || name === '@first' || name === '@last')
    return { kind: name.slice(1) as PositionReference['kind'] };
  const path = parseFieldPath(name);
  if (path === null) throw misconfigured(`line ${line}: "${name}" is not the name of a value`);
  return { kind: 'field', path };
}
