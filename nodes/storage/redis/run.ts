import { parseDuration } from '../../../lib/duration';
import { SINGLE_USE } from '../../../lib/client-pool';
import { EgressError, secure } from '../../../lib/egress';
import { type Json, jsonSize } from '../../../lib/json';
import { bounded } from '../../bounded';
import type { MinimalContext } from '../../minimal-context';
import type { Outcome } from '../../contract';
import { excerpt, redactingAlso } from '../../redaction';
import { done, failConnection, failFinally, invalidConfig } from '../../outcome';
import { peerOf, readServerUrl, type TlsMode } from '../server-url';
import { commandKind } from './commands';
import { Refusal, RedisWire, type Reply } from './wire';

/** A connection as its author writes it: a URL, or its parts. */
type RedisConnection =
  | string
  | { url: string; ca?: string }
  | { host: string; port?: number; user?: string; password?: string; database?: number; tls?: boolean; ca?: string };

/** A Redis server and its login; '' for none. */
interface RedisTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: number;
  readonly tls: TlsMode;
  readonly ca?: string;
}

const PORT = 6_379;

/** The server that a connection names; null for a URL that names none. */
function redisTarget(input: RedisConnection): RedisTarget | null {
  if (typeof input !== 'string' && 'host' in input) {
    const { host, port = PORT, user = '', password = '', database = 0, tls = false, ca } = input;
    return { host, port, user, password, database, tls: tls ? 'full' : 'off', ca };
  }
  const { url, ca } = typeof input === 'string' ? { url: input, ca: undefined } : input;
  const read = readServerUrl(url);
  if (read === null || !/^rediss?$/.test(read.scheme) || !/^\d{0,5}$/.test(read.path) || read.settings.size > 0)
    return null;
  const { scheme, host, port, user, password, path } = read;
  return {
    host,
    port: port ?? PORT,
    user,
    password,
    database: Number(path),
    tls: scheme === 'rediss' ? 'full' : 'off',
    ca,
  };
}

/** The input, validated by the schema. */
interface RedisInput {
  connection: RedisConnection;
  command: string;
  args?: Json[];
  binary?: boolean;
  timeout?: string | number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_CHARS = 8 * 1024 * 1024;

/** Runs one command, on an open connection if there is one. */
export async function run(ctx: MinimalContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const { connection, command, args = [], binary = false, timeout } = ctx.input as unknown as RedisInput;
  const kind = commandKind(command);
  const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(timeout);
  const target = redisTarget(connection);
  if (timeoutMs === null || timeoutMs === 0) return invalidConfig('"timeout" must be a duration above zero, as 20s');
  if (kind === null) return invalidConfig(`the command ${JSON.stringify(command)} is not taken`);
  if (target === null)
    return invalidConfig('"connection" must look like redis://user:password@host:6379/0 or rediss://host');
  const mask = redactingAlso(ctx.redact, [target.password, encodeURIComponent(target.password)]);
  const progress = { unsure: false };
  try {
    const { password, ca, ...place } = target;
    const reply = await bounded(ctx.signal, timeoutMs, (signal) =>
      (ctx.capabilities.net.clients ?? SINGLE_USE).use({
        place: JSON.stringify(['redis', place]),
        credentials: JSON.stringify([password, ca]),
        signal,
        open: (life) => open(target, ctx, timeoutMs, life),
        begin: (wire) => wire.begin(),
        async work(wire) {
          progress.unsure = kind === 'write';
          const answer = await wire.ask(command, ...args.map(wordOf));
          progress.unsure = false;
          return answer;
        },
      }),
    );
    if (reply instanceof Refusal) return outcomeOfError(reply, mask);
    const result = valueOf(reply, binary);
    if (jsonSize(result) > MAX_CHARS) return failFinally('redis_too_large', `Redis: more than ${MAX_CHARS} characters`);
    return done({ result: command.toUpperCase() === 'HGETALL' ? membersOf(result) : result });
  } catch (thrown) {
    if (thrown instanceof Unwelcome) return outcomeOfError(thrown.refusal, mask);
    if (!(thrown instanceof EgressError)) throw thrown;
    const message = `Redis: ${excerpt(mask(thrown.message))}`;
    if (progress.unsure) return failFinally('redis_unknown', `${message}. It may have made the change, or not`);
    return failConnection('redis', thrown, message);
  }
}

/** Thrown when the server does not let us in. */
class Unwelcome extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.text);
  }
}

async function open(
  target: RedisTarget,
  ctx: MinimalContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<RedisWire> {
  const { host, port, user, password, database } = target;
  const peer = peerOf(target);
  const socket = await ctx.capabilities.net.connect({ host, port, timeoutMs, signal });
  const wire = new RedisWire(peer === null ? socket : await secure(socket, peer, timeoutMs), host);
  const welcome = async (...words: string[]): Promise<void> => {
    const reply = await wire.ask(...words);
    if (reply instanceof Refusal) throw new Unwelcome(reply);
  };
  try {
    if (password !== '') await (user === '' ? welcome('AUTH', password) : welcome('AUTH', user, password));
    if (database !== 0) await welcome('SELECT', String(database));
    return wire;
  } catch (fault) {
    wire.close();
    throw fault;
  }
}

/** An argument of a command: text unchanged, other values as JSON. */
const wordOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Prefixes of errors that are not caused by the command. */
const BUSY = /^(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN|MASTERDOWN|READONLY|MISCONF|OOM)\b/;
const LOGIN = /^(?:NOAUTH|WRONGPASS|NOPERM)\b|AUTH.*(?:password|called)|invalid password/;

function outcomeOfError({ text }: Refusal, mask: (text: string) => string): Outcome {
  const message = `Redis: ${excerpt(mask(text))}`;
  if (LOGIN.test(text)) return failFinally('redis_login', message);
  if (BUSY.test(text)) return { kind: 'fail', error: { code: 'redis_busy', message }, retryable: true };
  return failFinally('redis_command', message);
}

function valueOf(reply: Reply, binary: boolean): Json {
  if (Buffer.isBuffer(reply)) return reply.toString(binary ? 'base64' : 'utf8');
  if (reply instanceof Refusal) return { error: reply.text };
  if (typeof reply === 'number') return Number.isSafeInteger(reply) ? reply : String(reply);
  return Array.isArray(reply) ? reply.map((item) => valueOf(item, binary)) : reply;
}

/** Names and values that take turns, as an object. */
function membersOf(list: Json): Json {
  if (!Array.isArray(list)) return list;
  const names = list.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [String(name), list[index * 2 + 1] ?? null]));
}
