/**
 * JSON Schema (draft 2020-12 without anchors, dynamic references and `unevaluated*`) for user-defined schemas: workflow
 * inputs, model responses, tools, forms.
 *
 * Schemas are interpreted, not compiled to code: an attacker's schema cannot inject code, and the cost of a check is
 * counted (see Check), which generated code does not allow. Regular expressions are RE2's, linear in the text. Known
 * formats are checked.
 */
import type { ErrorDetail } from '../errors';
import { hashJson, type Json, jsonSize } from '../json';
import { faultsOf, type Rule } from './check';
import { compile, unfitness, type UnknownKeywords } from './compile';

export { SCHEMA_LIMITS } from './compile';

/** The faults of a value, with paths beginning with `root`; empty for a valid value. Bounded in time. */
export type SchemaCheck = (value: Json, root?: string) => readonly ErrorDetail[];

/** A compiled schema, or its faults, with paths such as `properties.name.type`. */
export type CompiledSchema =
  | { readonly kind: 'usable'; readonly check: SchemaCheck }
  | { readonly kind: 'refused'; readonly faults: readonly ErrorDetail[] };

/** Maximum characters of cached schemas; compiled, they take about ten times as much memory. */
const MAX_CACHED_SCHEMAS = 4 * 1024 * 1024;

const kept = new Map<string, { readonly compiled: CompiledSchema; readonly size: number }>();
let keptSize = 0;

/**
 * Compiles a schema, or returns it from the cache. Accepts any value. Unknown keywords are rejected as mistakes of an
 * author; `ignore` them for schemas from elsewhere, as the standard specifies.
 */
export function compileSchema(schema: unknown, unknownKeywords: UnknownKeywords = 'refuse'): CompiledSchema {
  const unfit = unfitness(schema);
  if (unfit !== null) return { kind: 'refused', faults: [{ path: '', message: unfit }] };
  // Small and shallow here, and its caller has parsed it already.
  const json = schema as Json;
  const key = `${unknownKeywords}:${hashJson(json)}`;
  const known = kept.get(key);
  const entry = known ?? { compiled: compiledOf(compile(json, unknownKeywords)), size: jsonSize(json) };
  keep(key, entry, known === undefined);
  return entry.compiled;
}

function compiledOf(answer: Rule | readonly ErrorDetail[]): CompiledSchema {
  if (typeof answer !== 'function') return { kind: 'refused', faults: answer };
  return { kind: 'usable', check: (value, root = '') => faultsOf(answer, value, root) };
}

/** Puts an entry at the end and evicts the least recently used ones. */
function keep(key: string, entry: { compiled: CompiledSchema; size: number }, isNew: boolean): void {
  kept.delete(key);
  kept.set(key, entry);
  if (isNew) keptSize += entry.size;
  for (const [oldest, { size }] of kept) {
    if (keptSize <= MAX_CACHED_SCHEMAS) return;
    kept.delete(oldest);
    keptSize -= size;
  }
}
