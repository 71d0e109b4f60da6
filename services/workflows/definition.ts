import { type NodeTypes, type Plan, type WorkflowDocument, compile, validateDocument } from '../../dsl';
import { AppError, type ErrorDetail } from '../../lib/errors';
import { type JsonObject, hashJson } from '../../lib/json';

/** Which of the secret names do not exist. */
export type MissingSecrets = (names: string[]) => Promise<string[]>;

/** What a DSL names that its tenant does not have. */
export interface Missing {
  readonly secrets: MissingSecrets;
  /** As warnings. */
  readonly skills: (dsl: unknown) => Promise<ErrorDetail[]>;
}

/** What a DSL of a tenant may name. */
export interface Names {
  readonly nodeTypes: NodeTypes;
  readonly variableNames: ReadonlySet<string>;
}

/** A DSL that can be stored, with what follows from it. */
export interface Definition {
  readonly dsl: string;
  readonly dslHash: string;
  readonly plan: Plan;
  /** Custom node types that it names. */
  readonly customTypes: readonly string[];
  readonly warnings: readonly ErrorDetail[];
}

export interface Findings {
  readonly errors: readonly ErrorDetail[];
  readonly warnings: readonly ErrorDetail[];
  /** Null when there are errors. */
  readonly plan: Plan | null;
}

/** Most characters of a DSL as JSON text: with its plan it stays far below what one document of the database holds. */
const MAX_DSL_LENGTH = 6 * 1024 * 1024;

/** Everything that is wrong with a DSL, everything that may surprise in it, and its plan when it has one. */
export async function examine(dsl: unknown, names: Names, missing: Missing): Promise<Findings> {
  const { nodeTypes } = names;
  const { errors, warnings } = validateDocument(dsl, names);
  if (errors.length > 0) return { errors, warnings, plan: null };
  const noSkills = await missing.skills(dsl);
  // Without errors the value is a document: that is what the validator checks.
  const plan = compile(dsl as WorkflowDocument, nodeTypes);
  const absent = plan.secrets.length === 0 ? [] : await missing.secrets([...plan.secrets]);
  if (absent.length === 0) return { errors, warnings: [...warnings, ...noSkills], plan };
  const secretNames = new Set(plan.secrets.filter((name) => !absent.includes(name)));
  const withSecrets = validateDocument(dsl, { ...names, secretNames }).warnings;
  return { errors, warnings: [...withSecrets, ...noSkills], plan };
}

/** The definition that a DSL makes. @throws AppError invalid_dsl with every fault, payload_too_large */
export async function define(dsl: unknown, names: Names, missing: Missing): Promise<Definition> {
  const { errors, warnings, plan } = await examine(dsl, names, missing);
  if (plan === null) {
    const [first] = errors;
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    throw new AppError('invalid_dsl', `The DSL is not valid: ${first?.path}: ${first?.message}${more}`, {
      details: [...errors],
    });
  }
  const text = JSON.stringify(dsl);
  if (text.length > MAX_DSL_LENGTH) throw new AppError('payload_too_large', 'The DSL is larger than 6 MiB');
  return { dsl: text, dslHash: hashJson(dsl as JsonObject), plan, customTypes: customTypesIn(text), warnings };
}

const CUSTOM_TYPE = /"type":"(custom-[a-z][a-z0-9-]{0,49})"/g;

/** Types of steps, and of the tools of agents. Any member `type` counts: naming one too many does no harm. */
const customTypesIn = (dsl: string): string[] => [
  ...new Set([...dsl.matchAll(CUSTOM_TYPE)].map(([, type]) => type as string)),
];
