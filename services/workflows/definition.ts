import {
  compileSliced,
  DOCUMENT_TOO_LARGE,
  type NodeTypes,
  type Plan,
  validateDocumentSliced,
  type WorkflowDocument,
} from '../../dsl';
import { AppError, type ErrorDetail, summaryOf } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { hashJsonSliced } from '../../lib/json/hash-sliced';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { customTypesIn } from './tenant-node-types';
import { refKeysOf } from './refs';

/** Which of the secret names do not exist. */
export type MissingSecrets = (names: string[]) => Promise<string[]>;

/** What a DSL names that its tenant does not have. */
export interface Missing {
  readonly secrets: MissingSecrets;
  /** Connections, knowledge bases, skills and workflows, as warnings. */
  readonly refs: (dsl: unknown) => Promise<ErrorDetail[]>;
}

/** What a DSL of a tenant may name. */
export interface Names {
  readonly tenantId: string;
  readonly nodeTypes: NodeTypes;
  readonly variableNames: ReadonlySet<string>;
}

/** A DSL that can be stored, with what follows from it. */
export interface Definition {
  readonly dsl: string;
  readonly dslHash: string;
  readonly plan: Plan;
  /** What it names of the tenant, see refs. */
  readonly refs: readonly string[];
  /** Custom node types that it names. */
  readonly customTypes: readonly string[];
  readonly warnings: readonly ErrorDetail[];
}

/** The outcome of a check. */
export interface Findings {
  readonly errors: readonly ErrorDetail[];
  readonly warnings: readonly ErrorDetail[];
  /** Null when there are errors. */
  readonly plan: Plan | null;
}

/** Checks of one tenant that may wait for another one. */
const MAX_WAITING = 20;

/** A tenant's documents are checked one at a time, so that many large ones delay its own requests only. */
const mutex = new KeyedMutex();

/** Everything that is wrong with a DSL, everything that may surprise in it, and its plan when it has one. */
export async function examine(dsl: unknown, names: Names, missing: Missing): Promise<Findings> {
  const { tenantId } = names;
  if (mutex.countOf(tenantId) > MAX_WAITING)
    throw new AppError('rate_limited', 'Too many workflows are being checked at once; try again', { retry_after: 1 });
  return mutex.run(tenantId, () => examineNow(dsl, names, missing));
}

async function examineNow(dsl: unknown, names: Names, missing: Missing): Promise<Findings> {
  const { nodeTypes } = names;
  const { errors, warnings } = await validateDocumentSliced(dsl, names);
  if (errors.length > 0) return { errors, warnings, plan: null };
  const noRefs = await missing.refs(dsl);
  // Without errors the value is a document: that is what the validator checks.
  const plan = await compileSliced(dsl as WorkflowDocument, nodeTypes);
  const absent = plan.secrets.length === 0 ? [] : await missing.secrets([...plan.secrets]);
  if (absent.length === 0) return { errors, warnings: [...warnings, ...noRefs], plan };
  const secretNames = new Set(plan.secrets.filter((name) => !absent.includes(name)));
  const { warnings: withSecrets } = await validateDocumentSliced(dsl, { ...names, secretNames });
  return { errors, warnings: [...withSecrets, ...noRefs], plan };
}

/** The definition that a DSL makes. @throws AppError invalid_dsl with every fault, payload_too_large */
export async function define(dsl: unknown, names: Names, missing: Missing): Promise<Definition> {
  const { errors, warnings, plan } = await examine(dsl, names, missing);
  if (plan === null) {
    if (errors[0]?.message === DOCUMENT_TOO_LARGE)
      throw new AppError('payload_too_large', `The DSL is ${DOCUMENT_TOO_LARGE}; keep data in files or variables`);
    throw new AppError('invalid_dsl', `The DSL is not valid: ${summaryOf(errors)}`, { details: [...errors] });
  }
  const text = (await stringifyJsonSliced(dsl)) ?? '';
  return {
    dsl: text,
    dslHash: await hashJsonSliced(dsl as JsonObject),
    plan,
    refs: refKeysOf(dsl),
    customTypes: customTypesIn(text),
    warnings,
  };
}
