import { hostname } from 'node:os';
import { ServerError } from '../../bson/error';
import { isDoc } from '../../bson/value';
import { MAX_DOCUMENT_BYTES } from '../../store/records';
import type { CommandTable, Context } from '../context';
import { members, ok, type Reply } from '../reply';
import { MAX_MESSAGE_BYTES } from '../wire';

/** The MongoDB version whose behaviour is implemented, and its wire version. */
export const VERSION = '8.0.0';
const MAX_WIRE_VERSION = 25;

/**
 * hello of a standalone server. There is no logicalSessionTimeoutMinutes, so drivers use no sessions, no retryable
 * writes and no transactions; and no compression, so OP_COMPRESSED is never negotiated.
 */
function hello(context: Context): Reply {
  const { command, server, session } = context;
  const legacy = command.name !== 'hello';
  const reply = members({
    helloOk: command.boolean('helloOk') ? true : undefined,
    [legacy ? 'ismaster' : 'isWritablePrimary']: true,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    connectionId: session.id,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
  });
  if (server.credentials !== undefined && command.has('saslSupportedMechs'))
    reply.set('saslSupportedMechs', ['SCRAM-SHA-256']);
  const speculative = command.value('speculativeAuthenticate');
  if (isDoc(speculative) && server.credentials !== undefined) {
    try {
      reply.set(
        'speculativeAuthenticate',
        session.login.start(speculative.get('mechanism'), speculative.get('payload')),
      );
    } catch (error) {
      // Speculative authentication is optional: without it the driver logs in with saslStart and gets the error there.
      if (!(error instanceof ServerError)) throw error;
    }
  }
  for (const [name, value] of ok()) reply.set(name, value);
  return reply;
}

const buildInfo = (): Reply =>
  ok({
    version: VERSION,
    gitVersion: 'embedded',
    modules: [],
    versionArray: VERSION.split('.').map(Number).concat(0),
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ['sqlite'],
  });

const connectionStatus = ({ session }: Context): Reply => {
  const { user } = session.login;
  const users = user === undefined ? [] : [members({ user, db: 'admin' })];
  return ok({ authInfo: members({ authenticatedUsers: users, authenticatedUserRoles: [] }) });
};

const hostInfo = (): Reply =>
  ok({
    system: members({ currentTime: new Date(), hostname: hostname(), cpuAddrSize: 64 }),
    os: members({ type: process.platform, name: process.platform }),
    extra: members({}),
  });

/** Commands around the connection itself. */
export const HANDSHAKE: CommandTable = {
  hello: { kind: 'instant', open: true, run: hello },
  isMaster: { kind: 'instant', open: true, run: hello },
  ismaster: { kind: 'instant', open: true, run: hello },
  ping: { kind: 'instant', open: true, run: () => ok() },
  buildInfo: { kind: 'instant', open: true, run: buildInfo },
  buildinfo: { kind: 'instant', open: true, run: buildInfo },
  endSessions: { kind: 'instant', open: true, run: () => ok() },
  refreshSessions: { kind: 'instant', run: () => ok() },
  logout: { kind: 'instant', open: true, run: () => ok() },
  connectionStatus: { kind: 'instant', open: true, run: connectionStatus },
  hostInfo: { kind: 'instant', run: hostInfo },
  saslStart: {
    kind: 'instant',
    open: true,
    run: ({ session, command }) =>
      ok(Object.fromEntries(session.login.start(command.value('mechanism'), command.value('payload')))),
  },
  saslContinue: {
    kind: 'instant',
    open: true,
    run: ({ session, command }) => ok(Object.fromEntries(session.login.proceed(command.value('payload')))),
  },
};
