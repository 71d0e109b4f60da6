import Redis from 'ioredis';
import { errorMessage } from '../errors';
import { TAKE_TOKEN } from './bucket';

const ANSWER_MS = 3_000;

/** Properties of a Redis, and the commands that it refuses. */
interface RedisProbe {
  readonly version: string;
  readonly role: string;
  /** `maxmemory-policy`; null when CONFIG is not allowed. */
  readonly eviction: string | null;
  /** Bytes; 0 without a limit, null when CONFIG is not allowed. */
  readonly maxMemory: number | null;
  /** The first refusal; null when all commands of the service are allowed. */
  readonly refused: string | null;
}

/** Connects once and runs the commands of the service, with keys that expire. @throws Error when it is unreachable */
export async function probeRedis(url: string, namespace: string): Promise<RedisProbe> {
  const redis = new Redis(url, {
    keyPrefix: `${namespace}:`,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
    disconnectTimeout: 100,
    disableClientInfo: true,
  });
  // Without a listener the same error would end the process.
  let connectionError: unknown = null;
  redis.on('error', (fault) => (connectionError ??= fault));
  try {
    await redis.connect().catch((fault: unknown) => Promise.reject(connectionError ?? fault));
    const info = await redis.info();
    const refused = await refusalOf(redis);
    return {
      version: field(info, 'redis_version') ?? '0',
      role: field(info, 'role') ?? 'unknown',
      eviction: field(info, 'maxmemory_policy'),
      maxMemory: field(info, 'maxmemory') === null ? null : Number(field(info, 'maxmemory')),
      refused,
    };
  } finally {
    redis.disconnect();
  }
}

const field = (info: string, name: string): string | null =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? null;

async function refusalOf(redis: Redis): Promise<string | null> {
  try {
    await redis.eval(TAKE_TOKEN, 1, 'limit:doctor', 1, 1);
    await redis.set('doctor', 'x', 'PXAT', Date.now() + 1_000, 'NX');
    await redis.get('doctor');
    await redis.set('doctor', '', 'PX', 1);
    return null;
  } catch (fault) {
    return errorMessage(fault);
  }
}
