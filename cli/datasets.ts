import type { JsonObject } from '../lib/json';
import type { Client } from './client';
import { CliError } from './exits';

/** Maximum number of data sets searched by name. */
const MAX_DATASETS = 10_000;
const ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

export const datasetPath = (id: string): string => `/api/v1/datasets/${encodeURIComponent(id)}`;

export const listDatasets = (client: Client): Promise<JsonObject[]> => client.list('/api/v1/datasets', MAX_DATASETS);

/** Resolves a data set's id or name. @throws CliError (not_found) */
export async function datasetIdOf(client: Client, idOrName: string): Promise<string> {
  if (ID.test(idOrName)) return idOrName;
  const found = (await listDatasets(client)).find(({ name }) => name === idOrName);
  if (found === undefined) throw new CliError('not_found', `there is no data set "${idOrName}"`);
  return String(found.id);
}
