import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../lib/backoff';
import { isObject, type JsonObject } from '../lib/json';
import { CliError, type ExitName } from './exits';
import type { ServerEvent } from './events';
import type { Session } from './session';
import { type Painted, paint } from './terminal';
import { objectAt, objectsAt, textAt } from './workflows';

/** How long a watcher retries when the server becomes unreachable. */
const MAX_OUTAGE_MS = 120_000;
const RETRY = { firstMs: 250, maxMs: 5_000 };

export const runPath = (id: string): string => `/api/v1/executions/${encodeURIComponent(id)}`;

/** Exit of a run's end. Pure. */
const exitOfRun = (status: unknown): ExitName => (status === 'completed' ? 'ok' : 'no');

/** State of a watch: the last event's id, ended steps, and the outcome. */
interface WatchState {
  last: string | null;
  readonly ended: Set<string>;
  end: JsonObject | null;
}

/**
 * Prints the steps of a run until it ends, over any number of connections: each resumes after the last event, so
 * nothing is lost or repeated.
 */
export async function watchRun(session: Session, id: string): Promise<ExitName> {
  const { client, world } = session;
  const began = world.now();
  const total = await countSteps(session, id);
  const seen: WatchState = { last: null, ended: new Set(), end: null };
  let lostAt: number | null = null;
  for (let attempt = 0; seen.end === null; attempt++) {
    try {
      const end = await client.stream(`${runPath(id)}/stream`, seen.last, (event) => {
        lostAt = null;
        attempt = 0;
        // The progress line is on another stream; output replaces it.
        world.err.status('');
        tell(session, event, seen);
        world.err.status(progress(seen, total, world.now() - began));
      });
      // Nothing more to read: the run had ended before, or its end was received.
      if (end === 'finished') break;
      // Connected until now, however long it was silent.
      lostAt = null;
    } catch (fault) {
      if (!(fault instanceof CliError) || fault.exit !== 'unreachable') throw fault;
      if (lostAt !== null && world.now() - lostAt > MAX_OUTAGE_MS) throw fault;
    }
    if (world.signal.aborted) throw new CliError('interrupted', 'interrupted');
    lostAt ??= world.now();
    await sleep(backoffMs(RETRY, attempt + 1, Math.random()), undefined, { signal: world.signal }).catch(() => {
      throw new CliError('interrupted', 'interrupted');
    });
  }
  world.err.status('');
  return finish(session, id, seen.end ?? (await client.call('GET', runPath(id))));
}

/** Number of steps of a plan without loops; with loops there may be more. */
async function countSteps({ client }: Session, id: string): Promise<number> {
  const { total } = await client.call('GET', `${runPath(id)}/detail?limit=1`);
  return typeof total === 'number' ? total : 0;
}

function tell(session: Session, { id, event, data }: ServerEvent, seen: WatchState): void {
  const body = objectOf(data);
  if (body === null) throw session.client.foreign();
  seen.last = id;
  if (event === 'end') seen.end = body;
  if (event === 'step' && ['completed', 'failed', 'skipped', 'cancelled'].includes(textAt(body, 'status')))
    seen.ended.add(textAt(body, 'path'));
  if (session.json) return session.world.out.json({ event, id, data: body });
  if (event === 'step') stepLine(session, body);
  if (event === 'status') session.world.out.line('  ', statusSentence(body));
}

/** The run is paused, resumed, or about to end. */
function statusSentence(body: JsonObject): string {
  if (typeof body.paused !== 'boolean') return `the run will end as ${textAt(body, 'closing')}`;
  const by = typeof body.by === 'string' ? ` by ${body.by}` : '';
  const reason = typeof body.reason === 'string' ? `: ${body.reason}` : '';
  return `the run was ${body.paused ? 'paused' : 'resumed'}${by}${reason}`;
}

/** Null when the data of an event is not as expected. */
function objectOf(data: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) ? (value as JsonObject) : null;
  } catch (fault) {
    if (fault instanceof SyntaxError) return null;
    throw fault;
  }
}

function stepLine({ world: { out } }: Session, step: JsonObject): void {
  const waiting = isObject(step.waiting) ? ` for ${textAt(step.waiting, 'kind')}` : '';
  const attempt = typeof step.attempt === 'number' && step.attempt > 1 ? `, attempt ${step.attempt}` : '';
  const error = isObject(step.error) ? `: ${textAt(step.error, 'message')}` : '';
  out.line(
    paint('dim', textAt(step, 'at')),
    '  ',
    statusWord(textAt(step, 'status')),
    `${waiting}  ${textAt(step, 'path')} (${textAt(step, 'type')}${attempt})${error}`,
  );
}

/** A status in the colour that people expect. */
export const statusWord = (status: string): Painted =>
  paint(
    ({ completed: 'green', failed: 'red', cancelled: 'yellow', waiting: 'yellow' }[status] as 'green' | undefined) ??
      'bold',
    status,
  );

const progress = ({ ended }: WatchState, total: number, tookMs: number): string =>
  `${ended.size} of ${Math.max(total, ended.size)} steps, ${Math.round(tookMs / 1_000)} s`;

function finish(session: Session, id: string, run: JsonObject): ExitName {
  const { out } = session.world;
  const status = textAt(run, 'status');
  const { error, output } = run;
  // The end is the last line of the stream; if it was not received, it is read from the run.
  if (!session.json) {
    out.line('Run ', id, ' ', statusWord(status));
    if (isObject(error)) out.line(`  ${textAt(objectAt(run, 'error'), 'message')}`);
    else if (output !== null && output !== undefined) out.line(`  ${JSON.stringify(output)}`);
  }
  return exitOfRun(status);
}

/** Waiting approvals of a run, by the step names that the server accepts. */
export async function waitingApprovals({ client }: Session, id: string): Promise<string[]> {
  const run = await client.call('GET', runPath(id));
  return objectsAt(run, 'waiting')
    .filter((wait) => wait.kind === 'approval')
    .map((wait) => textAt(wait, 'name').replace(/^approve-/, ''));
}
