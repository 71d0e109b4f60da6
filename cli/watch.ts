import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../lib/json';
import { CliError, type ExitName } from './exits';
import type { ServerEvent } from './events';
import type { Session } from './session';
import { type Painted, paint } from './terminal';
import { objectAt, objectsAt, textAt } from './workflows';

/** For so long a server that was there may be away before a watcher gives up. */
const PATIENCE_MS = 120_000;
const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 5_000;

export const runPath = (id: string): string => `/api/v1/executions/${encodeURIComponent(id)}`;

/** What the end of a run means to scripts. Pure. */
export const exitOfRun = (status: unknown): ExitName => (status === 'completed' ? 'ok' : 'no');

/** How long to wait before the nth try in a row to get a stream again. Pure. */
export const waitBefore = (attempt: number): number => Math.min(FIRST_WAIT_MS * 2 ** attempt, MOST_WAIT_MS);

/** What has been seen of a run: the last event's id, steps that have ended, how it has ended. */
interface Seen {
  last: string | null;
  readonly ended: Set<string>;
  end: JsonObject | null;
}

/**
 * Tells the steps of a run until it ends, over as many connections as it takes: behind the last event each time, so
 * that nothing is missing and nothing told twice.
 */
export async function watchRun(session: Session, id: string): Promise<ExitName> {
  const { client, world } = session;
  const began = world.now();
  const total = await countSteps(session, id);
  const seen: Seen = { last: null, ended: new Set(), end: null };
  let lostAt: number | null = null;
  for (let attempt = 0; seen.end === null; attempt++) {
    try {
      const end = await client.stream(`${runPath(id)}/stream`, seen.last, (event) => {
        lostAt = null;
        attempt = 0;
        // The line that changes stands on another stream; what is told takes its place.
        world.err.status('');
        tell(session, event, seen);
        world.err.status(progress(seen, total, world.now() - began));
      });
      // Nothing more to tell: it has ended before we asked, or we have heard the end.
      if (end === 'finished') break;
      // It was there until now, however long it had nothing to tell.
      lostAt = null;
    } catch (fault) {
      if (!(fault instanceof CliError) || fault.exit !== 'unreachable') throw fault;
      if (lostAt !== null && world.now() - lostAt > PATIENCE_MS) throw fault;
    }
    if (world.signal.aborted) throw new CliError('interrupted', 'interrupted');
    lostAt ??= world.now();
    await sleep(waitBefore(attempt), undefined, { signal: world.signal }).catch(() => {
      throw new CliError('interrupted', 'interrupted');
    });
  }
  world.err.status('');
  return finish(session, id, seen.end ?? (await client.call('GET', runPath(id))));
}

/** Of a plan without loops; those have more. */
async function countSteps({ client }: Session, id: string): Promise<number> {
  const { total } = await client.call('GET', `${runPath(id)}/detail?limit=1`);
  return typeof total === 'number' ? total : 0;
}

function tell(session: Session, { id, event, data }: ServerEvent, seen: Seen): void {
  const body = objectOf(data);
  if (body === null) throw session.client.foreign();
  seen.last = id;
  if (event === 'end') seen.end = body;
  if (event === 'step' && ['completed', 'failed', 'skipped', 'cancelled'].includes(textAt(body, 'status')))
    seen.ended.add(textAt(body, 'path'));
  if (session.json) return session.world.out.json({ event, id, data: body });
  if (event === 'step') stepLine(session, body);
  if (event === 'status') session.world.out.line('  the run is going to end as ', textAt(body, 'closing'));
}

/** Null where the data of an event is not what our events have. */
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

const progress = ({ ended }: Seen, total: number, tookMs: number): string =>
  `${ended.size} of ${Math.max(total, ended.size)} steps, ${Math.round(tookMs / 1_000)} s`;

function finish(session: Session, id: string, run: JsonObject): ExitName {
  const { out } = session.world;
  const status = textAt(run, 'status');
  const { error, output } = run;
  // The end is the stream's last line; one that was not heard, since it was over, is told from the record.
  if (!session.json) {
    out.line('Run ', id, ' ', statusWord(status));
    if (isObject(error)) out.line(`  ${textAt(objectAt(run, 'error'), 'message')}`);
    else if (output !== null && output !== undefined) out.line(`  ${JSON.stringify(output)}`);
  }
  return exitOfRun(status);
}

/** Steps of a run that wait for a decision, by the names that the server takes. */
export async function waitingApprovals({ client }: Session, id: string): Promise<string[]> {
  const run = await client.call('GET', runPath(id));
  return objectsAt(run, 'waiting')
    .filter((wait) => wait.kind === 'approval')
    .map((wait) => textAt(wait, 'name').replace(/^approve-/, ''));
}
