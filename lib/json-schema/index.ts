/**
 * JSON Schemas that people write (draft 2020-12 without anchors, dynamic references and `unevaluated*`): for the input
 * of workflows, answers of models, tools, forms.
 *
 * They are interpreted, not compiled to code: a schema of a stranger then has no way into the process, and what a check
 * may cost is counted (see Check), which generated code cannot. Regular expressions are RE2's, linear in the text.
 * Formats that are known are checked.
 */
import type { ErrorDetail } from '../errors';
import { hashJson, type Json, jsonSize } from '../json';
import { faultsOf, type Rule } from './check';
import { compile, unfitness, type UnknownWords } from './compile';

export { SCHEMA_LIMITS } from './compile';

/** What is wrong with a value, paths beginning with `root`; empty when nothing is. Total and bounded. */
export type SchemaCheck = (value: Json, root?: string) => readonly ErrorDetail[];

/** A schema ready for use, or why it is none: paths are those in the schema, `properties.name.type`. */
export type CompiledSchema =
  | { readonly kind: 'usable'; readonly check: SchemaCheck }
  | { readonly kind: 'refused'; readonly faults: readonly ErrorDetail[] };

/** Characters of the schemas that are kept compiled; each takes some ten times that in memory. */
const MOST_KEPT = 4 * 1024 * 1024;

const kept = new Map<string, { readonly compiled: CompiledSchema; readonly size: number }>();
let keptSize = 0;

/**
 * Compiles a schema, or finds it compiled. Any value may be given: what is no schema is refused. Unknown words are
 * mistakes of an author, unless the schema comes from elsewhere: then `ignore` them, as the standard wants.
 */
export function compileSchema(schema: unknown, unknownWords: UnknownWords = 'refuse'): CompiledSchema {
  const unfit = unfitness(schema);
  if (unfit !== null) return { kind: 'refused', faults: [{ path: '', message: unfit }] };
  // Small and shallow by now, and whoever has it has parsed JSON.
  const json = schema as Json;
  const key = `${unknownWords}:${hashJson(json)}`;
  const known = kept.get(key);
  const entry = known ?? { compiled: compiledOf(compile(json, unknownWords)), size: jsonSize(json) };
  keep(key, entry, known === undefined);
  return entry.compiled;
}

function compiledOf(answer: Rule | readonly ErrorDetail[]): CompiledSchema {
  if (typeof answer !== 'function') return { kind: 'refused', faults: answer };
  return { kind: 'usable', check: (value, root = '') => faultsOf(answer, value, root) };
}

/** Puts an entry at the end, and takes from the front, where those stand that nobody has asked for longest. */
function keep(key: string, entry: { compiled: CompiledSchema; size: number }, isNew: boolean): void {
  kept.delete(key);
  kept.set(key, entry);
  if (isNew) keptSize += entry.size;
  for (const [oldest, { size }] of kept) {
    if (keptSize <= MOST_KEPT) return;
    kept.delete(oldest);
    keptSize -= size;
  }
}
