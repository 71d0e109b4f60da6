import type { App } from '../../../services/app';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { startApp, type StartOptions, type TestApp, type TestDatabase } from '../../support/app';

/** A master key of the given byte, as the environment has it. */
export const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** What a process is given: its key, and those that it knows besides. */
export const masters = (given: number, ...previous: number[]): Record<string, string> => ({
  MASTER_KEY: key(given),
  ...(previous.length === 0 ? {} : { MASTER_KEY_PREVIOUS: previous.map(key).join(',') }),
});

/** A process of a deployment that has these keys, with everything that seals. */
export const processOf = (
  database: TestDatabase,
  env: Record<string, string>,
  more: Partial<StartOptions> = {},
): Promise<TestApp> => startApp({ services: [secretsService, channelsService], database, env, ...more });

/** How many values of a collection are under each key. */
export async function underKeys({ db }: App, collection = 'secrets'): Promise<Record<string, number>> {
  const found = await db.collection(collection).find().toArray();
  const counts: Record<string, number> = {};
  for (const { key_id } of found) counts[String(key_id)] = (counts[String(key_id)] ?? 0) + 1;
  return counts;
}
