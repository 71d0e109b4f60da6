import { connect } from 'nats';
import type { BusConfig } from '../../lib/bus-config';
import { randomId } from '../../lib/ids';
import { connectionOptions } from './connection';

const ANSWER_MS = 3_000;

/** What a NATS server says of itself, and whether what is sent under our subjects comes back. */
export interface BusProbe {
  readonly version: string;
  /** Largest message, in bytes. */
  readonly maxPayload: number;
  readonly encrypted: boolean;
  readonly echoed: boolean;
}

/** Connects once, as a process would, and sends itself a message. @throws Error when it is not let in */
export async function probeBus(bus: BusConfig, namespace: string): Promise<BusProbe> {
  const options = connectionOptions(bus, 'doctor');
  const connection = await connect({ ...options, noEcho: false, reconnect: false, maxReconnectAttempts: 0 });
  try {
    // Where all processes of a cluster talk; nobody listens to this one.
    const subject = `MOL-${namespace}.DOCTOR.${randomId()}`;
    const heard = new Promise<boolean>((resolve) => {
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
    const echoed = await heard;
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
