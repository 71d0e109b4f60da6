import { isObject, type JsonObject } from '../lib/json';
import type { Client } from './client';
import { CliError } from './exits';
import type { WorkflowFile } from './workflow-file';

/** More than any tenant has; a list that is longer is not searched for names. */
const MOST = 10_000;
const ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

export const workflowPath = (id: string): string => `/api/v1/workflows/${encodeURIComponent(id)}`;

export const listWorkflows = (client: Client): Promise<JsonObject[]> => client.list('/api/v1/workflows', MOST);

/** The id of the workflow that people mean by an id or a name. @throws CliError (not_found, refused where several are meant) */
export async function workflowIdOf(client: Client, idOrName: string): Promise<string> {
  if (ID.test(idOrName)) return idOrName;
  const id = await findByName(client, idOrName);
  if (id !== null) return id;
  throw new CliError('not_found', `there is no workflow "${idOrName}"`);
}

/** The workflow that a file stands for: by its id, else by its name; null where there is none of that name yet. */
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

/** A member that is an object; empty where it is not. */
export const objectAt = (object: JsonObject, key: string): JsonObject => {
  const value = object[key];
  return isObject(value) ? value : {};
};

/** A member's items that are objects. */
export const objectsAt = (object: JsonObject, key: string): JsonObject[] => {
  const value = object[key];
  return Array.isArray(value) ? (value.filter(isObject) as JsonObject[]) : [];
};

/** A member as text for people; empty where there is none. */
export const textAt = (object: JsonObject, key: string): string => {
  const value = object[key];
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
