import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../../../embedded/index';

/** A server under test. */
export interface Engine {
  url: string;
  close(): Promise<void>;
}

const URL_OF_ANOTHER = process.env.CONTRACT_MONGO_URL;

/** `real` when CONTRACT_MONGO_URL names a server to calibrate the suite with, else `ours`. */
export const engineName: 'ours' | 'real' = URL_OF_ANOTHER === undefined ? 'ours' : 'real';

/** The embedded server in a folder of its own, or the server at CONTRACT_MONGO_URL. */
export async function openEngine(): Promise<Engine> {
  if (URL_OF_ANOTHER !== undefined) return { url: URL_OF_ANOTHER, close: async () => {} };
  const dir = await mkdtemp(join(tmpdir(), 'everstep-contract-'));
  const discard = (): Promise<void> => rm(dir, { recursive: true, force: true });
  try {
    const store = await openStore({ dir, testCommands: true });
    return { url: store.url, close: () => store.close().then(discard) };
  } catch (error) {
    await discard();
    throw error;
  }
}
