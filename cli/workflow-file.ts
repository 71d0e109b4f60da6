import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../lib/json';
import { CliError } from './exits';

/** A workflow file. Without an id the workflow is found by name. */
export interface WorkflowFile {
  readonly id?: string;
  readonly name: string;
  readonly description?: string;
  readonly env?: string;
  readonly dsl: JsonObject;
}

/** File extension of `pull`. */
const ENDING = '.workflow.json';

/**
 * Reads a workflow file: written by `pull`, `{name, dsl}`, or an export of the server.
 * @throws CliError (usage when the file is missing, refused when it is not a workflow)
 */
export function readWorkflowFile(path: string): WorkflowFile {
  const value = readJson(path);
  const inner = isObject(value) && value.format === 'everstep.workflow' ? value.workflow : value;
  if (!isObject(inner) || typeof inner.name !== 'string' || !isObject(inner.dsl))
    throw new CliError('refused', `${path} is not a workflow: it needs a "name" and a "dsl"`);
  for (const key of ['id', 'description', 'env'] as const)
    if (inner[key] !== undefined && typeof inner[key] !== 'string')
      throw new CliError('refused', `${path}: "${key}" must be a text`);
  return inner as unknown as WorkflowFile;
}

/** Reads a JSON file. @throws CliError (usage, refused) */
export function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown;
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new CliError('refused', `${path} is not JSON: ${cause.message}`, { cause });
    throw new CliError('usage', `${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** The file content of a server's workflow, in a fixed order. Pure. */
export const fileOf = (workflow: JsonObject): WorkflowFile => ({
  id: String(workflow.id),
  name: String(workflow.name),
  description: typeof workflow.description === 'string' ? workflow.description : '',
  env: typeof workflow.env === 'string' ? workflow.env : 'dev',
  dsl: isObject(workflow.dsl) ? workflow.dsl : {},
});

export const textOf = (file: WorkflowFile): string => `${JSON.stringify(file, null, 2)}\n`;

/** Writes a file atomically. */
export function writeWorkflowFile(path: string, file: WorkflowFile): void {
  const aside = `${path}.${process.pid}.new`;
  try {
    writeFileSync(aside, textOf(file), { flag: 'wx' });
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Files of workflows in a folder: the file with the id, otherwise one named after the workflow. */
export class WorkflowFolder {
  readonly #byId = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(private readonly dir: string) {
    for (const name of readdirSync(dir).filter((each) => each.endsWith('.json'))) {
      this.#taken.add(name);
      const id = idIn(join(dir, name));
      if (id !== null) this.#byId.set(id, name);
    }
  }

  pathFor({ id = '', name }: WorkflowFile): string {
    const known = this.#byId.get(id);
    if (known !== undefined) return join(this.dir, known);
    const plain = slugOf(name);
    const first = `${plain}${ENDING}`;
    // The id comes from the server: it must not act as a path.
    const file = this.#taken.has(first) ? `${plain}-${slugOf(id.slice(0, 8))}${ENDING}` : first;
    this.#taken.add(file);
    this.#byId.set(id, file);
    return join(this.dir, file);
  }
}

/** Only files that name their workflow; other JSON files in the folder are ignored. */
function idIn(path: string): string | null {
  try {
    return readWorkflowFile(path).id ?? null;
  } catch (fault) {
    if (fault instanceof CliError) return null;
    throw fault;
  }
}

/** A workflow name as a safe part of a file name. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'workflow';
