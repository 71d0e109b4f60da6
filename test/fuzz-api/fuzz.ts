import fc from 'fast-check';
import { makeEstate } from '../integration/security/support/estate';
import type { Sender } from '../integration/security/support/requests';
import { openWhole } from '../integration/security/support/whole';
import { Api } from '../support/server';
import { OPERATIONS, type Operation } from './description';
import { type Idea, ideasFor } from './ideas';
import { curlOf, requestOf, type Sent, Things } from './requests';
import { type Answered, wrongOf } from './verdict';

const AT_ONCE = 4;
const ANSWER_MS = 15_000;
const STREAM_MS = 300;

export interface FuzzOptions {
  readonly requests: number;
  /** Epoch milliseconds at which no more are sent. */
  readonly untilMs: number;
  readonly seed: number;
  /** Prefix of the operations' names; empty: all. */
  readonly only: string;
}

/** A kind of fault, with the first request that has shown it. */
export interface Fault {
  readonly operation: string;
  readonly wrong: string;
  count: number;
  readonly curl: string;
  readonly answer: string;
}

export interface FuzzReport {
  readonly sent: number;
  /** Number of successful requests. */
  readonly taken: number;
  readonly operations: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly faults: readonly Fault[];
}

/** Starts an installation with one resource of each kind, and sends requests up to the number or the deadline. */
export async function fuzz({ requests, untilMs, seed, only }: FuzzOptions): Promise<FuzzReport> {
  const whole = await openWhole({ REQUEST_TIMEOUT: '5' });
  try {
    const estate = await makeEstate(whole);
    const outsider = new Api(whole.url);
    await outsider.register('outsider');
    const credentialOf = (sender: Sender): string | null => {
      if (sender === 'owner' || sender === 'admin' || sender === 'member') return estate[sender].token;
      return { 'api key': estate.apiKey, outsider: outsider.token, anonymous: null, nonsense: 'evs_nonsense' }[sender];
    };
    const chosen = OPERATIONS.filter(({ id }) => id.startsWith(only));
    const things = new Things(estate);
    const statuses = new Map<number, number>();
    const faults = new Map<string, Fault>();
    let taken = 0;
    let sent = 0;
    /** A request may have ended the session of its sender, as it should. */
    const keepSession = async (sender: Sender): Promise<void> => {
      if (sender !== 'owner' && sender !== 'admin' && sender !== 'member') return;
      if ((await estate[sender].ask('GET', '/api/v1/me')).status !== 401) return;
      await estate.signIn(sender).catch((fault: unknown) => {
        throw new Error(`The ${sender} cannot sign in any more`, { cause: fault });
      });
    };
    const tryOut = async (idea: Idea): Promise<void> => {
      const request = requestOf(idea, things, credentialOf(idea.sender));
      const answer = await exchange(whole.url, idea.operation, request);
      sent += 1;
      if (typeof answer !== 'string') {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status < 300) taken += 1;
        if (answer.status === 401) await keepSession(idea.sender);
        if (answer.status === 201 && answer.text !== null) things.learn(idea.operation.path, JSON.parse(answer.text));
      }
      const wrong = typeof answer === 'string' ? answer : wrongOf(idea.operation, answer);
      if (wrong !== null) note(faults, idea.operation, wrong, curlOf(whole.url, request), reportOf(answer, whole.log));
    };
    for (const round of rounds(chosen, Math.ceil(requests / chosen.length), seed)) {
      for (let n = 0; n < round.length && Date.now() < untilMs; n += AT_ONCE) {
        await Promise.all(round.slice(n, n + AT_ONCE).map(tryOut));
      }
      if (Date.now() >= untilMs) break;
    }
    return { sent, taken, operations: chosen.length, statuses, faults: [...faults.values()] };
  } finally {
    await whole.close();
  }
}

/** Each round has one request to every operation, so that resources that one creates exist for the next ones. */
function* rounds(operations: readonly Operation[], count: number, seed: number): Generator<readonly Idea[]> {
  const samples = operations.map((operation, n) => fc.sample(ideasFor(operation), { numRuns: count, seed: seed + n }));
  for (let round = 0; round < count; round++) yield samples.flatMap((ideas) => ideas[round] ?? []);
}

function note(faults: Map<string, Fault>, { id }: Operation, wrong: string, curl: string, answer: string): void {
  const key = `${id}: ${wrong.replace(/\d{4,}/g, 'n')}`;
  const before = faults.get(key);
  if (before !== undefined) before.count += 1;
  else faults.set(key, { operation: id, wrong, count: 1, curl, answer });
}

/** An answer, and what the service has logged of its request. */
function reportOf(answer: Answered | string, log: readonly string[]): string {
  if (typeof answer === 'string') return answer;
  const requestId = answer.headers.get('x-request-id') ?? 'none';
  const lines = answer.status < 500 ? [] : log.filter((line) => line.includes(requestId)).slice(-3);
  return [`${answer.status} ${answer.text?.slice(0, 600) ?? ''}`, ...lines.map((line) => line.slice(0, 2_000))].join(
    '\n',
  );
}

/** The answer, or the error. Streams do not end; only their head is checked. */
async function exchange(
  url: string,
  operation: Operation,
  { method, path, headers, body }: Sent,
): Promise<Answered | string> {
  const streams = [...operation.responses.values()].some(({ content }) => content?.['text/event-stream'] !== undefined);
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), ANSWER_MS);
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      redirect: 'manual',
      signal: controller.signal,
      ...(body === undefined ? {} : { body }),
    });
    const isStream = streams && (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    if (isStream) setTimeout(() => controller.abort(), STREAM_MS);
    const text = await response.text().catch((fault: unknown) => {
      if (isStream) return null;
      throw fault;
    });
    return { status: response.status, headers: response.headers, text };
  } catch (fault) {
    const { cause } = fault as { cause?: unknown };
    return `there was no answer: ${String(cause ?? fault)}`;
  } finally {
    clearTimeout(timer);
  }
}
