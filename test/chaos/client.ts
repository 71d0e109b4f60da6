import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../support/cluster';
import { Api, type ApiAnswer } from '../support/server';
import type { Promises } from './promises';

const PAUSE_MS = 200;
const ANSWER_MS = 65_000;

/** A client that retries with the same idempotency key, at any gateway. */
export class PatientClient {
  constructor(
    private readonly cluster: Cluster,
    private readonly token: string,
    private readonly promises: Promises,
    private readonly chance: () => number,
  ) {}

  /** Sends a request once. Status 0: no answer came. */
  async once<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    const { urls } = this.cluster;
    const api = new Api(urls[Math.floor(this.chance() * urls.length)] ?? 'http://127.0.0.1:1');
    api.token = this.token;
    const answer = await within(api.ask<T>(method, path, body, headers)).catch(
      (): ApiAnswer<T> => ({ status: 0, headers: new Headers(), body: undefined as T }),
    );
    this.promises.count(inWord(answer));
    return answer;
  }

  /** Tries until the status of an answer is in `enough`; null after the deadline. */
  async patiently<T>(
    ask: () => Promise<ApiAnswer<T>>,
    enough: readonly number[],
    deadline: number,
  ): Promise<ApiAnswer<T> | null> {
    while (Date.now() < deadline) {
      const answer = await ask();
      // An earlier request with this key is in progress, or its process died: a later retry gets its result.
      const open = inWord(answer).endsWith(' idempotency_in_progress');
      if (!open && enough.includes(answer.status)) return answer;
      await sleep(PAUSE_MS);
    }
    return null;
  }
}

function inWord({ status, body }: ApiAnswer<unknown>): string {
  if (status === 0) return 'none';
  const code = typeof body === 'object' && body !== null && 'code' in body ? ` ${body.code}` : '';
  return `${status}${code}`;
}

/** Limits the wait for an answer: a paused gateway must not block a client without a limit. */
async function within<T>(answer: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = sleep(ANSWER_MS, undefined, { signal: stop.signal }).then(() => Promise.reject(new Error('no answer')));
  try {
    return await Promise.race([answer, late]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}
