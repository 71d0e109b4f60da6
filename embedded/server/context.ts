import type { Collection } from '../store/collection';
import type { Reader } from '../store/scan';
import type { Store } from '../store/store';
import type { Pace, Task } from '../store/task';
import type { Command } from './command';
import type { FailPoints } from './fail-points';
import type { Login } from './login';
import type { Reply } from './reply';

/** What the server keeps for all connections. */
export interface Server {
  readonly store: Store;
  readonly startedAtMs: number;
  readonly testCommands: boolean;
  readonly failPoints: FailPoints;
  /** The one user, when logins are demanded. */
  readonly credentials: Credentials | undefined;
  readonly operations: Map<number, ActiveOperation>;
  readonly counters: { connections: number; totalConnections: number; commands: number };
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** An operation under way, for currentOp and killOp. */
export interface ActiveOperation {
  readonly id: number;
  readonly command: string;
  readonly namespace: string;
  readonly startedAtMs: number;
  readonly pace: Pace;
}

/** What belongs to one connection. */
export interface Session {
  readonly id: number;
  readonly login: Login;
}

/** Everything that a command may use. */
export interface Context {
  readonly server: Server;
  readonly store: Store;
  readonly session: Session;
  readonly command: Command;
  readonly db: string;
  readonly reader: Reader;
}

/**
 * A command of the server. `instant` ones answer from memory; `read` ones run on a snapshot; `write` ones run inside
 * the group commit. `fields` lists what the command knows when unknown fields are to be refused (40415).
 */
export type CommandSpec = {
  readonly fields?: ReadonlySet<string>;
  /** Allowed before logging in. */
  readonly open?: boolean;
  /** Must be sent to the admin database. */
  readonly adminOnly?: boolean;
} & (
  | { readonly kind: 'instant'; run(context: Context): Reply }
  | { readonly kind: 'write'; run(context: Context): Task<Reply> }
  /** `writes` tells when this very command writes after all, as an aggregate with `$out` does. */
  | { readonly kind: 'read'; writes?(context: Context): boolean; run(context: Context): Task<Reply> }
);

export type CommandTable = Readonly<Record<string, CommandSpec>>;

/** The collection that a command names in its first field. */
export function namedCollection({ store, command, db }: Context): Collection | undefined {
  return store.catalog.find(db, command.string(command.name));
}

/** `db.collection` of the command. */
export const namespaceOf = ({ command, db }: Context): string => `${db}.${command.string(command.name)}`;
