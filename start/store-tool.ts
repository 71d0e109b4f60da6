import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { LockedError, openStore } from '../embedded';
import type { Progress } from './store-copy';

/** Runs work on a database, and says how many documents it was where that is a number. */
export type WithDatabase = (
  url: string | undefined,
  work: (db: Db, progress: Progress) => Promise<number | void>,
) => Promise<void>;

/** The body of a command-line tool: errors go to stderr in one line and make the exit code 1. */
export function runTool(tool: (withDatabase: WithDatabase) => Promise<void>): void {
  tool(withDatabase).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** A URL given, MONGO_URL, the running embedded server of DATA_DIR, or that folder opened for the time of the work. */
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
    // The service is running: its server takes more connections, and says where in this file.
    return { url: (await readFile(join(dir, 'url'), 'utf8')).trim(), close: async () => undefined };
  }
}
