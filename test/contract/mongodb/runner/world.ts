import type { EventEmitter } from 'node:events';
import type { Document } from 'bson';
import {
  type ClientSession,
  Collection,
  type CommandFailedEvent,
  type CommandStartedEvent,
  type CommandSucceededEvent,
  type Db,
  GridFSBucket,
  MongoClient,
  ReadPreference,
} from 'mongodb';
import type { Entities } from './match';
import { CommandCursor } from './operations/cursor';

/** A command event under the name that the unified test format gives it. */
export type CommandEvent =
  | { name: 'commandStartedEvent'; event: CommandStartedEvent }
  | { name: 'commandSucceededEvent'; event: CommandSucceededEvent }
  | { name: 'commandFailedEvent'; event: CommandFailedEvent };

export type Entity =
  | { kind: 'client'; client: MongoClient; events: CommandEvent[]; observed: string[] }
  | { kind: 'database'; db: Db }
  | { kind: 'collection'; collection: Collection }
  | { kind: 'bucket'; bucket: GridFSBucket }
  | { kind: 'session'; session: ClientSession }
  | { kind: 'cursor'; cursor: CommandCursor }
  | { kind: 'value'; value: unknown };

type EntityOf<K extends Entity['kind']> = Extract<Entity, { kind: K }>;

/** The saved form of an operation's result. */
export function entityOf(result: unknown): Entity {
  if (result instanceof CommandCursor) return { kind: 'cursor', cursor: result };
  if (result instanceof Collection) return { kind: 'collection', collection: result };
  return { kind: 'value', value: result };
}

/** Options in the driver's form: a read preference is an object there. */
export function driverOptions(options: Document = {}): Document {
  const { readPreference, ...rest } = options;
  return readPreference === undefined
    ? rest
    : { ...rest, readPreference: ReadPreference.fromOptions({ readPreference }) };
}

/** The named things that one test makes and uses. Closing it closes every client. */
export class World implements Entities {
  private readonly entities = new Map<string, Entity>();

  constructor(
    private readonly url: string,
    /** A client of the runner itself, for preparing and inspecting; it publishes no events. */
    readonly maintenance: MongoClient,
  ) {}

  async create(specs: Record<string, Document>[]): Promise<void> {
    for (const spec of specs) {
      const [kind, options] = Object.entries(spec)[0] as [string, Document];
      this.save(options.id, await this.build(kind, options));
    }
  }

  save(id: string, entity: Entity): void {
    if (this.entities.has(id)) throw new Error(`entity ${id} exists already`);
    this.entities.set(id, entity);
  }

  find(id: string): Entity {
    const entity = this.entities.get(id);
    if (entity === undefined) throw new Error(`no entity ${id}`);
    return entity;
  }

  get<K extends Entity['kind']>(kind: K, id: string): EntityOf<K> {
    const entity = this.find(id);
    if (entity.kind !== kind) throw new Error(`entity ${id} is a ${entity.kind}, not a ${kind}`);
    return entity as EntityOf<K>;
  }

  value(id: string): unknown {
    return this.get('value', id).value;
  }

  sessionId(id: string): Document {
    return this.get('session', id).session.id as Document;
  }

  async close(): Promise<void> {
    const all = [...this.entities.values()];
    for (const entity of all) if (entity.kind === 'cursor') await entity.cursor.close();
    for (const entity of all) if (entity.kind === 'session') await entity.session.endSession();
    for (const entity of all) if (entity.kind === 'client') await entity.client.close();
  }

  private async build(kind: string, options: Document): Promise<Entity> {
    switch (kind) {
      case 'client':
        return this.connect(options);
      case 'database': {
        const { client } = this.get('client', options.client);
        return { kind, db: client.db(options.databaseName, driverOptions(options.databaseOptions)) };
      }
      case 'collection': {
        const { db } = this.get('database', options.database);
        return { kind, collection: db.collection(options.collectionName, driverOptions(options.collectionOptions)) };
      }
      case 'bucket':
        return { kind, bucket: new GridFSBucket(this.get('database', options.database).db) };
      case 'session':
        return { kind, session: this.get('client', options.client).client.startSession(options.sessionOptions) };
      default:
        throw new Error(`unknown kind of entity: ${kind}`);
    }
  }

  private async connect(options: Document): Promise<Entity> {
    const observed: string[] = options.observeEvents ?? [];
    const client = new MongoClient(this.url, {
      ...options.uriOptions,
      serverApi: options.serverApi,
      monitorCommands: observed.length > 0,
      serverSelectionTimeoutMS: 5000,
    });
    const events: CommandEvent[] = [];
    const source: EventEmitter = client;
    for (const type of ['Started', 'Succeeded', 'Failed'] as const) {
      source.on(`command${type}`, (event) => events.push({ name: `command${type}Event`, event }));
    }
    await client.connect();
    return { kind: 'client', client, events, observed };
  }
}
