import { probeBus } from '../../../lib/bus/probe';
import { type Check, type Finding, fault, ok, warning } from '../finding';

const OLDEST = [2, 2] as const;
/** Below this, even small requests go through the database. */
const SMALL_PAYLOAD = 64 * 1024;

/** NATS: reachable, recent, encrypted, with the permissions for our subjects. */
export const nats: Check = {
  name: 'nats',
  mend: 'Check host, port and credentials in TRANSPORTER and NATS_*, and that NATS runs.',
  async run({ config: { bus, namespace } }) {
    if (bus === null) return [ok('none (TRANSPORTER): a single process')];
    const { version, maxPayload, encrypted, echoed } = await probeBus(bus, namespace);
    const found: Finding[] = [
      isOlder(version, OLDEST)
        ? fault(`NATS ${version} is too old`, `Install NATS ${OLDEST.join('.')} or newer.`)
        : ok(`NATS ${version} accepts the connection`),
    ];
    if (!echoed)
      found.push(
        fault(
          `messages under MOL-${namespace}.> are not delivered`,
          `Let the user publish and subscribe "MOL-${namespace}.>", see docs/nats.md.`,
        ),
      );
    if (maxPayload < SMALL_PAYLOAD)
      found.push(
        warning(`max_payload is ${maxPayload} bytes`, 'Raise it to 1MB: what is larger goes through the database.'),
      );
    const local = bus.servers.every((server) => /^(localhost|127\.|\[::1\])/.test(server));
    if (!encrypted && !local)
      found.push(
        warning(
          'the connection to NATS is not encrypted',
          'Use tls:// with NATS_TLS_CA, unless the network is private.',
        ),
      );
    if (bus.credentials.kind === 'none')
      found.push(warning('NATS accepts clients without credentials', 'Configure users, see docs/nats.md.'));
    return found;
  },
};

/** Whether a version such as `2.10.7` is lower than another. Pure. */
export function isOlder(version: string, oldest: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
}
