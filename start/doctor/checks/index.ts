import type { Check } from '../finding';
import { addresses } from './addresses';
import { clock } from './clock';
import { database } from './database';
import { dataFolder } from './data-folder';
import { indexes } from './indexes';
import { keys, sealedUnder } from './keys';
import { machine } from './machine';
import { mail } from './mail';
import { migrations } from './migrations';
import { nats } from './nats';
import { ports } from './ports';
import { qdrant } from './qdrant';
import { redis } from './redis';
import { storedData } from './stored-data';
import { workers } from './workers';

/** Every check, in the order of the report. */
export const CHECKS: readonly Check[] = [
  machine,
  dataFolder,
  ports,
  addresses,
  database,
  storedData,
  indexes,
  clock,
  keys,
  sealedUnder,
  migrations,
  workers,
  nats,
  redis,
  qdrant,
  mail,
];
