import type { Connector } from './contract';
import { http } from './generic-http';
import { graphql } from './graphql';
import { imap } from './imap';
import { mongodb } from './mongodb';
import { mysql } from './mysql';
import { postgres } from './postgres';
import { redis } from './redis';
import { rss } from './rss';
import { s3 } from './s3';
import { sftp } from './sftp';
import { smtp } from './smtp';

/** Connectors of protocols, for any server. */
export const protocols: readonly Connector[] = [
  http,
  graphql,
  rss,
  smtp,
  imap,
  postgres,
  mysql,
  mongodb,
  redis,
  s3,
  sftp,
];
