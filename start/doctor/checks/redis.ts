import { probeRedis } from '../../../lib/redis/probe';
import { type Check, type Finding, fault, ok, warning } from '../finding';
import { isOlder } from './nats';

const OLDEST = [6, 2] as const;

/** Redis: reachable, recent, a primary, with permissions and an eviction policy. */
export const redis: Check = {
  name: 'redis',
  mend: 'Check host, port and password in REDIS_URL, and that Redis runs; without REDIS_URL each process limits and caches by itself.',
  async run({ config: { redisUrl, namespace } }) {
    if (redisUrl === null) return [ok('none (REDIS_URL): each process limits and caches by itself')];
    const { version, role, eviction, maxMemory, refused } = await probeRedis(redisUrl, namespace);
    const found: Finding[] = [
      isOlder(version, OLDEST)
        ? fault(`Redis ${version} is too old`, `Install Redis ${OLDEST.join('.')} or newer.`)
        : ok(`Redis ${version} accepts the connection`),
    ];
    if (role !== 'master') found.push(fault(`it is a ${role}, which refuses writes`, 'Name the primary in REDIS_URL.'));
    else if (refused !== null)
      found.push(
        fault(
          `it refuses a command that the service uses: ${refused.split(' ').slice(0, 12).join(' ')}`,
          `Let the user use get, set, eval and time on keys "${namespace}:*".`,
        ),
      );
    if (eviction === 'noeviction' && (maxMemory ?? 0) > 0)
      found.push(
        warning(
          'it refuses writes when it is full (maxmemory-policy noeviction)',
          'Set maxmemory-policy to allkeys-lru.',
        ),
      );
    if (maxMemory === 0)
      found.push(
        warning('its memory is unlimited (maxmemory 0)', 'Set maxmemory, and maxmemory-policy to allkeys-lru.'),
      );
    return found;
  },
};
