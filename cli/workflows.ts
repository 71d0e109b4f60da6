import { isObject, type JsonObject } from '../lib/json';
import type { Client } from './client';
import { CliError } from './exits';
import type { WorkflowFile } from './workflow-file';

/** Maximum number of workflows searched by name. */
const MAX_WORKFLOWS = 10_000;
const ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

export const workflowPath = (id: string): string => `/api/v1/workflows/${encodeURIComponent(id)}`;

export const listWorkflows = (client: Client): Promise<JsonObject[]> => client.list('/api/v1/workflows', MAX_WORKFLOWS);

/** Resolves a workflow's id or name. @throws CliError (not_found, refused when ambiguous) */
export async function workflowIdOf(client: Client, idOrName: string): Promise<string> {
  if (ID.test(idOrName)) return idOrName;
  const id = await findByName(client, idOrName);
  if (id !== null) return id;
  throw new CliError('not_found', `there is no workflow "${idOrName}"`);
}

/** The workflow of a file: by its id, else by its name; null when it does not exist yet. */
export async function workflowOfFile(client: Client, { id, name }: WorkflowFile): Promise<JsonObject | null> {
  const found = id ?? (await findByName(client, name));
  return found === null ? null : client.call('GET', workflowPath(found));
}

async function findByName(client: Client, name: string): Promise<string | null> {
  const found = (await listWorkflows(client)).filter((row) => row.name === name);
  if (found.length > 1)
    throw new CliError(
      'refused',
      `${found.length} workflows are called "${name}"; name one by its id: ${idsOf(found)}`,
    );
  return found[0] === undefined ? null : String(found[0].id);
}

const idsOf = (rows: readonly JsonObject[]): string => rows.map(({ id }) => String(id)).join(', ');

/** An object member; empty if it is not an object. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};

/** The object items of a member. */
export const objectsAt = (object: JsonObject, key: string): JsonObject[] => {
  const value = object[key];
  return Array.isArray(value) ? (value.filter(isObject) as JsonObject[]) : [];
};

/** A member as text; empty if absent. */
export const textAt = (object: JsonObject, key: string): string => {
  const value = object[key];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
