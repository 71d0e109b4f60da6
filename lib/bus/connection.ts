import { accessSync, constants, readFileSync } from 'node:fs';
import { type ConnectionOptions, credsAuthenticator, nkeyAuthenticator } from 'nats';
import type { BusConfig, BusCredentials } from '../bus-config';
import { ConfigError } from '../config';

/** Interval of pings, and how many may stay unanswered: a dead server is detected within three seconds. */
const PING_MS = 1_000;
const PINGS_OUT = 2;

/** Options of the NATS client. @throws ConfigError when a file cannot be read */
export function connectionOptions(bus: BusConfig, nodeId: string): ConnectionOptions {
  const faults: string[] = [];
  readable(bus.credentials.kind === 'creds' ? bus.credentials.file : null, 'NATS_CREDS', faults);
  readable(bus.tls?.caFile ?? null, 'NATS_TLS_CA', faults);
  readable(bus.tls?.certFile ?? null, 'NATS_TLS_CERT', faults);
  readable(bus.tls?.keyFile ?? null, 'NATS_TLS_KEY', faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    // Passed separately: Moleculer would read users and passwords from a URL without decoding them.
    servers: [...bus.servers],
    name: `everstep ${nodeId}`,
    ...credentials(bus.credentials),
    ...(bus.tls === null ? {} : { tls: withoutNulls(bus.tls) }),
    // Own messages are not needed, so a message with this node's id comes from another process with the same id.
    noEcho: true,
    pingInterval: PING_MS,
    maxPingOut: PINGS_OUT,
    // A server that accepts a connection and then hangs must not delay the attempt on the next one.
    timeout: 2_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 300,
    reconnectJitterTLS: 300,
    // Credentials may be wrong for a while during a password change; giving up would require a restart.
    ignoreAuthErrorAbort: true,
  };
}

function credentials(given: BusCredentials): ConnectionOptions {
  switch (given.kind) {
    case 'none':
      return {};
    case 'password':
      return { user: given.user, pass: given.pass };
    case 'token':
      return { token: given.token };
    case 'nkey':
      return { authenticator: nkeyAuthenticator(new TextEncoder().encode(given.seed)) };
    case 'creds':
      // Read on each connection, so renewed credentials take effect without a restart.
      return { authenticator: (nonce) => credsAuthenticator(readFileSync(given.file))(nonce) };
  }
}

function readable(file: string | null, variable: string, faults: string[]): void {
  if (file === null) return;
  try {
    accessSync(file, constants.R_OK);
  } catch {
    faults.push(`${variable} names ${file}, which cannot be read`);
  }
}

const withoutNulls = (files: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter((entry): entry is [string, string] => entry[1] !== null));
