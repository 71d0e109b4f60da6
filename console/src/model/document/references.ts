import { ExpressionError } from '../../../../dsl/expression/error';
import { type Token, tokenize } from '../../../../dsl/expression/lexer';
import { hasExpression, splitInterpolation } from '../../../../dsl/interpolation';
import { isObject, type JsonObject } from './path';

/** A part of a text that names a step. */
interface Mention {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  /** Text before and after the id within the part: `.` for a member, quotes for a text. */
  readonly kind: 'member' | 'text';
}

const FUNCTIONS_OF_STEPS: ReadonlySet<string> = new Set(['approval_link', 'form_link']);

/** The ids of steps that an expression names: `steps.id`, `steps["id"]`, `approval_link("id", ...)`. */
function mentionsIn(source: string): Mention[] {
  let tokens: readonly Token[];
  try {
    tokens = tokenize(source);
  } catch (error) {
    // An expression that is being typed has no references yet.
    if (error instanceof ExpressionError) return [];
    throw error;
  }
  return tokens.flatMap((_token, index) => mentionAt(tokens, index) ?? []);
}

/** The mention that begins with the name at an index of the tokens. */
function mentionAt(tokens: readonly Token[], index: number): Mention | null {
  const [name, next, after, last] = tokens.slice(index, index + 4);
  if (name?.kind !== 'name' || next === undefined) return null;
  if (name.value === 'steps') {
    if (next.kind === 'member') return { id: next.value, from: next.position, to: next.end, kind: 'member' };
    return next.value === '[' && last?.value === ']' ? textMention(after) : null;
  }
  if (!FUNCTIONS_OF_STEPS.has(name.value)) return null;
  if (tokens[index - 1]?.value === '|') return textMention(tokens[index - 2]);
  return next.value === '(' ? textMention(after) : null;
}

const textMention = (token: Token | undefined): Mention | null =>
  token?.kind === 'text' ? { id: token.value, from: token.position, to: token.end, kind: 'text' } : null;

/** The expressions of a text and their places in it; none while its braces are not closed. */
function expressionsIn(text: string): { readonly source: string; readonly at: number }[] {
  if (!hasExpression(text)) return [];
  try {
    const found: { source: string; at: number }[] = [];
    let position = 0;
    for (const piece of splitInterpolation(text)) {
      if (piece.kind !== 'expression') continue;
      const at = text.indexOf(`{{${piece.source}}}`, position) + 2;
      found.push({ source: piece.source, at });
      position = at + piece.source.length + 2;
    }
    return found;
  } catch (error) {
    if (error instanceof ExpressionError) return [];
    throw error;
  }
}

function renamedText(text: string, from: string, to: string): string {
  let result = '';
  let done = 0;
  for (const { source, at } of expressionsIn(text)) {
    for (const mention of mentionsIn(source)) {
      if (mention.id !== from) continue;
      const written = mention.kind === 'member' ? `.${to}` : JSON.stringify(to);
      result += text.slice(done, at + mention.from) + written;
      done = at + mention.to;
    }
  }
  return result + text.slice(done);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The same in JavaScript of a code step, where an id with a hyphen stands in brackets. */
function renamedCode(source: string, from: string, to: string): string {
  const member = new RegExp(
    `(?<![\\w$.])steps\\s*(?:\\.\\s*${escaped(from)}(?![\\w$])|\\[\\s*(["'])${escaped(from)}\\1\\s*\\])`,
    'g',
  );
  return source.replace(member, to.includes('-') ? `steps[${JSON.stringify(to)}]` : `steps.${to}`);
}

/** A value with every reference to a step renamed: expressions, `needs`, and sources of code steps. Unchanged parts are kept as they are. */
export function renameReferences<T>(value: T, from: string, to: string): T {
  return renamed(value, from, to, null) as T;
}

function renamed(value: unknown, from: string, to: string, key: string | null): unknown {
  if (typeof value === 'string') {
    if (!value.includes(from)) return value;
    return key === 'source' && !hasExpression(value) ? renamedCode(value, from, to) : renamedText(value, from, to);
  }
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (key === 'needs') return mapped(items, (item) => (item === from ? to : item));
    return mapped(items, (item) => renamed(item, from, to, null));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  const changed = entries.map(([name, member]) => [name, renamed(member, from, to, name)] as const);
  return changed.some(([, member], index) => member !== entries[index]?.[1]) ? Object.fromEntries(changed) : value;
}

const mapped = (items: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] => {
  const next = items.map(change);
  return next.some((item, index) => item !== items[index]) ? next : items;
};

/** Removes `needs` of a step that name none of the given ids; without any left, the key goes too. */
export function withNeedsAmong(step: JsonObject, ids: ReadonlySet<string>): JsonObject {
  if (!Array.isArray(step.needs)) return step;
  const needs = step.needs.filter((id: unknown) => typeof id !== 'string' || ids.has(id));
  if (needs.length === step.needs.length) return step;
  // An empty list starts the step at once, which is not what a step without its predecessors is for.
  const entries = Object.entries(step).map(([key, value]) => [key, key === 'needs' ? needs : value] as const);
  return Object.fromEntries(needs.length === 0 ? entries.filter(([key]) => key !== 'needs') : entries);
}
