import { streams } from '../api/client';
import { keepOpen } from '../model/keep-open';
import { EVERYTHING, refreshesOf } from '../model/live-events';
import { refreshes } from './refreshes';
import { session } from './session';
import { wait } from './wait';

/** A stream without its first event by then is of a proxy that keeps it back. */
const MAX_SILENCE_MS = 10_000;
/** Between two refreshes of the page while there is no stream. */
const POLL_MS = 30_000;
/** Timers that are later than this were not running: the computer was asleep, and its connections are gone. */
const ASLEEP_MS = 90_000;
const CLOCK_MS = 10_000;

/** What the tab with the stream sends the others. */
interface SharedEvent {
  readonly event: string;
  readonly data: unknown;
}

/** Keeps the page up to date by the events of the tenant, as long as there is a session. Answers a function that ends it. */
export function startLive(): () => void {
  let token: string | null = null;
  let stop = new AbortController();
  const begin = (): void => {
    stop.abort();
    stop = new AbortController();
    token = session.token;
    if (token !== null) void follow(token, stop.signal);
  };
  const ends = [
    session.subscribe(() => {
      if (session.token !== token) begin();
    }),
    whenAwake(begin),
  ];
  begin();
  return () => {
    stop.abort();
    refreshes.clear();
    for (const end of ends) end();
  };
}

/** Calls back when the computer is connected or awake again. */
function whenAwake(act: () => void): () => void {
  let last = Date.now();
  const timer = setInterval(() => {
    const late = Date.now() - last > ASLEEP_MS;
    last = Date.now();
    if (late) act();
  }, CLOCK_MS);
  window.addEventListener('online', act);
  return () => {
    clearInterval(timer);
    window.removeEventListener('online', act);
  };
}

/** One tab of a session has the stream, and shares it; another one takes over when it is closed. */
async function follow(token: string, signal: AbortSignal): Promise<void> {
  const name = `everstep.events.${await nameOf(token)}`;
  if (signal.aborted) return;
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data: { event, data } }: MessageEvent<SharedEvent>) =>
    refreshes.add(refreshesOf(event, data)),
  );
  const lead = (): Promise<void> => read(channel, signal);
  try {
    // Only secure origins have locks: elsewhere each tab has a stream.
    if (!('locks' in navigator)) return await lead();
    const isFirst = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await lead();
      return lock !== null;
    });
    // What has changed since this page was loaded.
    if (!isFirst) refreshes.add(EVERYTHING);
    await navigator.locks.request(name, { signal }, lead);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}

/** A name that is the same in all tabs of a session, without its token. */
async function nameOf(token: string): Promise<string> {
  if (!('subtle' in crypto)) return String(Math.random());
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return Array.from(new Uint8Array(hash).slice(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads the stream until the signal; without one, refreshes now and then. */
async function read(channel: BroadcastChannel, signal: AbortSignal): Promise<void> {
  let polledAt = Date.now();
  const take = (shared: SharedEvent): void => {
    refreshes.add(refreshesOf(shared.event, shared.data));
    channel.postMessage(shared);
  };
  await keepOpen(
    {
      open: connection,
      onEvent: ({ event, data }) => take({ event, data }),
      onLost: () => {
        if (Date.now() - polledAt < POLL_MS) return;
        polledAt = Date.now();
        take({ event: 'missed', data: null });
      },
      wait,
      random: Math.random,
    },
    signal,
  );
}

async function* connection(signal: AbortSignal) {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), MAX_SILENCE_MS);
  try {
    for await (const event of streams.events.stream({}, { signal: AbortSignal.any([signal, silent.signal]) })) {
      clearTimeout(timer);
      yield event;
    }
  } finally {
    clearTimeout(timer);
  }
}
