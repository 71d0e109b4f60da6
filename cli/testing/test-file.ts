import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { CliError } from '../exits';
import { readWorkflowFile, type WorkflowFile } from '../workflow-file';
import { TEST_FILE_SCHEMA } from './schema';

/** The outcome of a step that does not run. */
export type Mock =
  | { readonly output: JsonObject }
  | { readonly error: { readonly message: string; readonly code?: string } };

/** Used for every wait of a step or signal, or a list, used in its order. */
export type Answer = JsonObject | readonly JsonObject[];

/** `message`: a part of it. */
export interface ErrorExpectation {
  readonly code?: string;
  readonly message?: string;
}

export interface StepExpectation {
  readonly status?: string;
  readonly output?: Json;
  readonly input?: Json;
  readonly error?: ErrorExpectation;
  readonly count?: number;
}

export interface Expectation {
  readonly status?: string;
  readonly output?: Json;
  readonly output_equals?: Json;
  readonly error?: ErrorExpectation;
  readonly steps?: Readonly<Record<string, StepExpectation>>;
  readonly not_called?: readonly string[];
}

export interface TestCase {
  readonly name: string;
  readonly trigger?: JsonObject;
  /** When the run starts (RFC 3339); its time is simulated. Absent: in real time. */
  readonly now?: string;
  readonly vars?: JsonObject;
  readonly mocks?: Readonly<Record<string, Mock | readonly Mock[]>>;
  /** By step id. */
  readonly approvals?: Readonly<Record<string, Answer>>;
  /** Values by step id. */
  readonly forms?: Readonly<Record<string, Answer>>;
  /** In this order, or data by the name of the signal. */
  readonly signals?:
    | readonly { readonly signal: string; readonly data?: JsonObject }[]
    | Readonly<Record<string, Answer>>;
  readonly allow_network?: boolean;
  readonly timeout?: number;
  readonly expect?: Expectation;
}

export interface TestFile {
  readonly path: string;
  readonly workflow: WorkflowFile;
  readonly secrets: Readonly<Record<string, string>>;
  readonly cases: readonly TestCase[];
}

const ENDING = /\.test\.(?:json|ya?ml)$/;
const MAX_FILES = 10_000;

/** The files of tests among paths: files themselves, and those in folders. @throws CliError usage, not_found */
export function findTestFiles(paths: readonly string[], cwd: string): string[] {
  const found = new Set<string>();
  for (const path of paths) {
    const full = resolve(cwd, path);
    if (!existsSync(full)) throw new CliError('usage', `${path} does not exist`);
    if (!statSync(full).isDirectory()) found.add(full);
    else for (const file of filesIn(full)) found.add(file);
  }
  if (found.size === 0) throw new CliError('not_found', `no file *.test.json or *.test.yaml in ${paths.join(', ')}`);
  return [...found].sort((a, b) => (a < b ? -1 : 1));
}

function* filesIn(folder: string): Generator<string> {
  const folders = [folder];
  let count = 0;
  for (let next = folders.pop(); next !== undefined && count < MAX_FILES; next = folders.pop())
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else if (ENDING.test(entry.name)) {
        count += 1;
        yield join(next, entry.name);
      }
    }
}

/** Reads a file of tests with its workflow. @throws CliError refused naming every fault */
export function readTestFile(path: string): TestFile {
  const value = readValue(path);
  const schema = compileSchema(TEST_FILE_SCHEMA);
  if (schema.kind === 'refused') throw new Error('The schema of test files is invalid');
  const faults = schema.check(value, '');
  if (faults.length > 0) throw new CliError('refused', `${path} is not a file of tests`, { details: faults });
  // The schema has checked it.
  const {
    workflow,
    secrets = {},
    cases,
  } = value as unknown as Partial<TestFile> & {
    readonly workflow?: string;
    readonly cases: readonly TestCase[];
  };
  const twice = cases.find(({ name }, index) => cases.findIndex((each) => each.name === name) !== index);
  if (twice !== undefined) throw new CliError('refused', `${path} has two cases named "${twice.name}"`);
  return { path, workflow: readWorkflowFile(workflowOf(path, workflow)), secrets, cases };
}

/** The content of a JSON or YAML file. @throws CliError refused */
export function readValue(path: string): Json {
  try {
    const text = readFileSync(path, 'utf8');
    const value: unknown = path.endsWith('.json') ? JSON.parse(text) : load(text);
    return JSON.parse(JSON.stringify(value ?? null)) as Json;
  } catch (cause) {
    throw new CliError('refused', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function workflowOf(path: string, named: string | undefined): string {
  if (named !== undefined) return resolve(dirname(path), named);
  const stem = join(dirname(path), basename(path).replace(ENDING, ''));
  const first = `${stem}.workflow.json`;
  const found = [first, `${stem}.json`].find((each) => existsSync(each));
  if (found !== undefined) return found;
  throw new CliError('refused', `${path} has no workflow: there is no ${first}; name one by "workflow"`);
}

/** The steps of a document, with those inside of others. */
export function* stepsOf(value: unknown): Generator<JsonObject> {
  if (Array.isArray(value)) for (const each of value) yield* stepsOf(each);
  else if (isObject(value)) {
    if (typeof value.id === 'string' && typeof value.type === 'string') yield value as JsonObject;
    for (const [key, inner] of Object.entries(value)) if (!NO_STEPS.has(key)) yield* stepsOf(inner);
  }
}

/** Members that hold no steps, though they may look so. */
const NO_STEPS: ReadonlySet<string> = new Set(['config', 'pin', 'retry', 'trigger', 'triggers', 'inputs']);
