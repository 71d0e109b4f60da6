const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** Milliseconds before the next connection, after so many failures in a row; `random` from 0 to 1 spreads clients. */
export const reconnectMs = (failures: number, random: number): number =>
  Math.round(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1)) * (0.5 + random / 2));

interface KeptOpen<T> {
  /** One connection; it ends when the server closes it, and throws when it breaks or cannot be made. */
  readonly open: (signal: AbortSignal) => AsyncIterable<T>;
  /** False ends it. */
  readonly onEvent: (event: T) => boolean | void;
  /** A connection has ended or could not be made; `failures` in a row, of connections without an event. */
  readonly onLost: (failures: number) => void;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

/** Reads a stream until the signal, over as many connections as that takes. */
export async function keepOpen<T>(kept: KeptOpen<T>, signal: AbortSignal): Promise<void> {
  const { open, onEvent, onLost, wait, random } = kept;
  for (let failures = 0; !signal.aborted; ) {
    failures += 1;
    try {
      for await (const event of open(signal)) {
        failures = 0;
        if (onEvent(event) === false) return;
      }
    } catch {
      // Queries show what is wrong; the stream only says when to ask again.
    }
    if (signal.aborted) return;
    onLost(failures);
    await wait(reconnectMs(Math.max(1, failures), random()), signal);
  }
}
