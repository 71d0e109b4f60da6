import { type Compute, ComputeError, defineTask, sliceWork } from '../compute';
import { assertNotRetryable } from '../compute/unavailable';
import type { ErrorDetail } from '../errors';
import { type Json, type JsonObject, jsonSize } from '../json';
import { stringifyJsonSliced } from '../json/stringify-sliced';
import { type CompiledSchema, compileSchema } from './index';
import type { UnknownKeywords } from './compile';

/** Maximum size of a value checked on the main thread: uninterruptible parts take some milliseconds. */
const MAX_INLINE_CHARACTERS = 256 * 1_024;

/** A schema and how to compile it; callers may pass a cached compiled schema. */
interface SchemaUse {
  readonly schema: Json;
  readonly unknownKeywords?: UnknownKeywords;
  /** Prefix of fault paths. */
  readonly root?: string;
  readonly compiled?: () => CompiledSchema;
}

/** Faults of a value, or of the schema itself. */
interface SchemaFaults {
  readonly of: 'value' | 'schema';
  readonly faults: readonly ErrorDetail[];
}

interface CheckRequest extends Required<Omit<SchemaUse, 'compiled'>> {
  readonly value: Json;
}

/** Checks inline; null when that exceeds a slice. */
export function checkInline(use: SchemaUse, value: Json): SchemaFaults | null {
  const {
    schema,
    unknownKeywords = 'refuse',
    root = '',
    compiled = () => compileSchema(schema, unknownKeywords),
  } = use;
  if (jsonSize(value, MAX_INLINE_CHARACTERS) > MAX_INLINE_CHARACTERS) return null;
  const inline = sliceWork(() => faultsBy(compiled(), value, root));
  return inline.kind === 'done' ? inline.value : null;
}

/**
 * Checks a value against a tenant's schema: inline if that takes some milliseconds, else on a compute thread. The
 * result is the same. A check that exceeds its time there is a fault of the value.
 * @throws AppError unavailable when too many computations are queued
 */
export async function checkSliced(compute: Compute, use: SchemaUse, value: Json): Promise<SchemaFaults> {
  return checkInline(use, value) ?? checkOnThread(compute, use, value);
}

/** Checks on a compute thread. @throws AppError unavailable when too many computations are queued */
export async function checkOnThread(
  compute: Compute,
  { schema, unknownKeywords = 'refuse', root = '' }: SchemaUse,
  value: Json,
): Promise<SchemaFaults> {
  const request: CheckRequest = { schema, unknownKeywords, root, value };
  try {
    return await compute.run(checkTask, (await stringifyJsonSliced(request as unknown as JsonObject)) ?? 'null');
  } catch (fault) {
    assertNotRetryable(fault);
    if (!(fault instanceof ComputeError)) throw fault;
    return { of: 'value', faults: [{ path: root, message: 'takes too long to check; use a simpler schema' }] };
  }
}

export const checkTask = defineTask('lib/json-schema/check-sliced', 'checkTask', (text: string): SchemaFaults => {
  // `checkSliced` has written it.
  const { schema, unknownKeywords, root, value } = JSON.parse(text) as CheckRequest;
  return faultsBy(compileSchema(schema, unknownKeywords), value, root);
});

const faultsBy = (compiled: CompiledSchema, value: Json, root: string): SchemaFaults =>
  compiled.kind === 'refused'
    ? { of: 'schema', faults: compiled.faults }
    : { of: 'value', faults: compiled.check(value, root) };
