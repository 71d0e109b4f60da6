import { Blocks } from '../blocks';
import type { Block } from '../contract';
import { ParseError } from '../fault';
import { MAX_JSON_DEPTH } from '../limits';
import type { ReadFile } from '../source';
import { tableBlock } from '../table';

/** Spaces that a level of an outline is set in, and levels that are. */
const INDENT = 2;
const MAX_INDENT = 16;

/**
 * JSON, or a JSON text in each line, as an outline of `key: value`: its signs say nothing to who searches. A list of
 * records of plain values is a table.
 */
export function readJson(text: string, maxCharacters: number): ReadFile {
  const blocks = new Blocks(maxCharacters);
  const value = parsed(text);
  blocks.addAll(blocksOf(value));
  return { source: blocks.source(), title: null, pages: null, warnings: [] };
}

/** Whether a text is JSON that holds something else than one plain value. */
export function looksLikeJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch (fault) {
    if (fault instanceof SyntaxError) return false;
    throw fault;
  }
}

function parsed(text: string): unknown {
  assertDepth(text);
  try {
    return JSON.parse(text);
  } catch (fault) {
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const values = lines.length > 1 ? valuesOf(lines) : null;
    if (values !== null) return values;
    throw new ParseError('broken_file', `The file is not valid JSON: ${(fault as Error).message.slice(0, 200)}`);
  }
}

function valuesOf(lines: readonly string[]): unknown[] | null {
  try {
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    // Not JSON Lines either: report the fault of the whole text.
    return null;
  }
}

/** Before parsing, so that nothing that walks the value can run out of stack. */
function assertDepth(text: string): void {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) depth += 1;
    else if (code === 0x5d || code === 0x7d) depth -= 1;
    if (depth > MAX_JSON_DEPTH)
      throw new ParseError('too_complex', `The JSON nests lists and objects more than ${MAX_JSON_DEPTH} deep.`);
  }
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

function* blocksOf(value: unknown): Generator<Block> {
  if (Array.isArray(value)) {
    const table = recordTable(value);
    if (table !== null) return yield table;
    for (const member of value) yield list(outline(member, 0));
    return;
  }
  if (isPlain(value)) return yield list(plain(value));
  for (const [key, member] of Object.entries(value as object)) {
    const table = Array.isArray(member) ? recordTable(member) : null;
    if (table === null) {
      yield list(entry(key, member, 0));
      continue;
    }
    yield list(`${key}:`);
    yield table;
  }
}

const list = (text: string): Block => ({ kind: 'list', page: null, text });

/** Records that share the keys of the first, as a table; null when they are something else. */
function recordTable(values: readonly unknown[]): Block | null {
  const [first] = values;
  if (values.length < 2 || !isRecord(first)) return null;
  const keys = Object.keys(first);
  if (keys.length < 2) return null;
  const known = new Set(keys);
  const alike = values.every((value) => isRecord(value) && Object.keys(value).every((key) => known.has(key)));
  if (!alike) return null;
  const rows = (values as Readonly<Record<string, unknown>>[]).map((value) =>
    keys.map((key) => (Object.hasOwn(value, key) ? plain(value[key]) : '')),
  );
  return tableBlock([keys, ...rows], null);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isPlain);

const plain = (value: unknown): string => (typeof value === 'string' ? value : String(value));

function outline(value: unknown, indent: number): string {
  if (isPlain(value)) return plain(value);
  if (Array.isArray(value)) return value.map((member) => entry('-', member, indent)).join('\n');
  return Object.entries(value as object)
    .map(([key, member]) => entry(key, member, indent))
    .join('\n');
}

function entry(key: string, value: unknown, indent: number): string {
  const space = ' '.repeat(indent);
  const label = key === '-' ? '-' : `${key}:`;
  if (isPlain(value)) return `${space}${label} ${plain(value)}`;
  const deeper = Math.min(indent + INDENT, MAX_INDENT);
  return `${space}${label}\n${outline(value, deeper)}`;
}
