import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { BSON, type Db, type Document } from 'mongodb';
import { connectionsService } from '../../../services/connections/connections.service';
import { startProvider } from '../../support/connectors/provider';

/** The database of a version with unfinished runs: documents by collection, and the expected results of the runs. */
export interface Tape {
  readonly file: string;
  /** The user that had started the runs. */
  readonly actor: { readonly tenant_id: string; readonly user_id: string; readonly email: string };
  readonly runs: Readonly<Record<RunName, string> & Partial<Record<LaterRunName, string>>>;
  readonly collections: Readonly<Record<string, readonly Document[]>>;
}

/** Runs on each tape, by their state when it was made. */
export const RUN_NAMES = ['asks', 'hears', 'sleeps', 'loops', 'undoes', 'failed', 'child'] as const;
export type RunName = (typeof RUN_NAMES)[number];

/** Runs on tapes of versions with pauses (format 2) and gathered starts (format 3), and with quotas of connections (format 4). */
export const LATER_RUN_NAMES = ['pauses', 'gathers', 'settles'] as const;
export const QUOTA_RUN_NAMES = ['admitted', 'queues'] as const;
export type LaterRunName = (typeof LATER_RUN_NAMES | typeof QUOTA_RUN_NAMES)[number];

const FOLDER = join(__dirname, 'tapes');

/** Tapes of all versions, by their files' names. */
export const tapes: readonly Tape[] = readdirSync(FOLDER)
  .sort()
  .map((file) => ({
    ...(BSON.EJSON.parse(gunzipSync(readFileSync(join(FOLDER, file))).toString()) as Omit<Tape, 'file'>),
    file,
  }));

export const tapePath = (name: string): string => join(FOLDER, `${name}.json.gz`);

/** Puts the documents into a database that has none. */
export async function play({ collections }: Tape, db: Db): Promise<void> {
  for (const [name, documents] of Object.entries(collections))
    if (documents.length > 0) await db.collection(name).insertMany([...documents]);
}

/** The documents of a database, as a tape has them. */
export async function taken(db: Db, left: readonly string[]): Promise<Record<string, Document[]>> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  const kept = names.filter((name) => !left.includes(name));
  return Object.fromEntries(
    await Promise.all(
      kept.map(async (name) => [name, await db.collection(name).find().sort({ _id: 1 }).toArray()] as const),
    ),
  );
}

/** A provider of connections, and what a house needs to use it. */
export async function openProvider() {
  const answer = { ok: true, user_id: 'U1', user: 'bot', team: 'Team', team_id: 'T1', url: 'https://team.example' };
  const provider = await startProvider(() => ({ json: answer }));
  const env = { EGRESS_ALLOW: '127.0.0.1', CONNECTOR_CHAT_URL: provider.url };
  return { provider, house: { env, also: [connectionsService] } };
}
