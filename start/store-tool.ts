import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { LockedError, openStore } from '../embedded';
import type { Progress } from './store-copy';

/** Runs work on a database; prints the number of documents if the work returns one. */
export type WithDatabase = (
  url: string | undefined,
  work: (db: Db, progress: Progress) => Promise<number | void>,
) => Promise<void>;

/** Runs a command-line tool: an error is printed in one line and sets exit code 1. */
export function runTool(tool: (withDatabase: WithDatabase) => Promise<void>): void {
  tool(withDatabase).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Opens the given URL, MONGO_URL, the running built-in server of DATA_DIR, or that folder itself. */
const withDatabase: WithDatabase = async (given, work) => {
  const { url, close } = await findDatabase(given ?? process.env.MONGO_URL);
  const client = new MongoClient(url);
  try {
    const documents = await work(client.db(), say);
    if (documents !== undefined) say(`${documents} documents in all`);
  } finally {
    await client.close();
    await close();
  }
};

async function findDatabase(url: string | undefined): Promise<{ url: string; close(): Promise<void> }> {
  if (url !== undefined && url !== '') return { url, close: async () => undefined };
  const dir = resolve(process.env.DATA_DIR ?? 'data');
  try {
    return await openStore({ dir });
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    // The service is running: its server accepts more connections at the URL in this file.
    return { url: (await readFile(join(dir, 'url'), 'utf8')).trim(), close: async () => undefined };
  }
}
