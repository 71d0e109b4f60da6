import { connect } from 'nats';
import type { BusConfig } from '../bus-config';
import { randomId } from '../ids';
import { connectionOptions } from './connection';

const ANSWER_MS = 3_000;

/** Properties of a NATS server, and whether messages on our subjects are delivered. */
interface BusProbe {
  readonly version: string;
  /** Maximum message size, in bytes. */
  readonly maxPayload: number;
  readonly encrypted: boolean;
  readonly echoed: boolean;
}

/** Connects once with the options of a process and sends itself a message. @throws Error when the connection fails */
export async function probeBus(bus: BusConfig, namespace: string): Promise<BusProbe> {
  const options = connectionOptions(bus, 'doctor');
  const connection = await connect({ ...options, noEcho: false, reconnect: false, maxReconnectAttempts: 0 });
  try {
    // Under the prefix that all processes use, on a subject without other subscribers.
    const subject = `MOL-${namespace}.DOCTOR.${randomId()}`;
    const delivered = new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), ANSWER_MS);
      connection.subscribe(subject, {
        max: 1,
        callback: (refused) => {
          clearTimeout(timer);
          resolve(refused === null);
        },
      });
    });
    connection.publish(subject, new Uint8Array());
    const echoed = await delivered;
    const {
      version,
      max_payload: maxPayload,
      tls_required: required,
    } = connection.info ?? { version: '', max_payload: 0 };
    return { version, maxPayload, encrypted: bus.tls !== null || required === true, echoed };
  } finally {
    await connection.close();
  }
}
