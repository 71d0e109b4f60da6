import type { Collection } from '../store/collection';
import type { Reader } from '../store/scan';
import type { Store } from '../store/store';
import type { TimeSlice, Task } from '../store/task';
import type { Command } from './command';
import type { FailPoints } from './fail-points';
import type { Login } from './login';
import type { Reply } from './reply';

/** State shared by all connections. */
export interface Server {
  readonly store: Store;
  readonly startedAtMs: number;
  readonly testCommands: boolean;
  readonly failPoints: FailPoints;
  /** The only user, when login is required. */
  readonly credentials: Credentials | undefined;
  readonly operations: Map<number, ActiveOperation>;
  readonly counters: { connections: number; totalConnections: number; commands: number };
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** An operation under way, for currentOp and killOp. */
interface ActiveOperation {
  readonly id: number;
  readonly command: string;
  readonly namespace: string;
  readonly startedAtMs: number;
  readonly timeSlice: TimeSlice;
}

/** State of one connection. */
export interface Session {
  readonly id: number;
  readonly login: Login;
}

/** Context of a command. */
export interface Context {
  readonly server: Server;
  readonly store: Store;
  readonly session: Session;
  readonly command: Command;
  readonly db: string;
  readonly reader: Reader;
}

/**
 * A command. `instant` ones run from memory; `read` ones on a snapshot; `write` ones inside the group commit. `fields`
 * lists the known fields when unknown ones are rejected (40415).
 */
export type CommandSpec = {
  readonly fields?: ReadonlySet<string>;
  /** Allowed before logging in. */
  readonly open?: boolean;
  /** Only allowed on the admin database. */
  readonly adminOnly?: boolean;
} & (
  | { readonly kind: 'instant'; run(context: Context): Reply }
  /** `removes`: whether this command only deletes, which also works on a full disk. */
  | { readonly kind: 'write'; removes?(context: Context): boolean; run(context: Context): Task<Reply> }
  /** `writes`: whether this command writes, such as an aggregate with `$out`. */
  | { readonly kind: 'read'; writes?(context: Context): boolean; run(context: Context): Task<Reply> }
);

export type CommandTable = Readonly<Record<string, CommandSpec>>;

/** The collection that a command names in its first field. */
export function namedCollection({ store, command, db }: Context): Collection | undefined {
  return store.catalog.find(db, command.string(command.name));
}

/** `db.collection` of the command. */
export const namespaceOf = ({ command, db }: Context): string => `${db}.${command.string(command.name)}`;
