import type { CommandTable } from '../context';
import { ADMIN } from './admin';
import { AGGREGATE } from './aggregate';
import { BULK_WRITE } from './bulk-write';
import { COLL_MOD } from './coll-mod';
import { COLLECTIONS } from './collections';
import { COUNT } from './count';
import { EXPLAIN } from './explain';
import { FIND } from './find';
import { FIND_AND_MODIFY } from './find-and-modify';
import { HANDSHAKE } from './handshake';
import { INDEXES } from './indexes';
import { STATS } from './stats';
import { WRITE } from './write';

/** Every command by name; the name comes from clients, so look it up with Object.hasOwn. */
export const COMMANDS: CommandTable = {
  ...HANDSHAKE,
  ...FIND,
  ...WRITE,
  ...FIND_AND_MODIFY,
  ...AGGREGATE,
  ...COUNT,
  ...BULK_WRITE,
  ...COLLECTIONS,
  ...COLL_MOD,
  ...INDEXES,
  ...EXPLAIN,
  ...STATS,
  ...ADMIN,
};
