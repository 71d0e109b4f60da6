import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, type JsonObject } from '../../lib/json';
import { command } from '../command';
import { jsonOption } from '../json-option';
import { limitOption } from '../list-limit';
import { CliError, type ExitName } from '../exits';
import type { Session } from '../session';
import { harmlessJson } from '../terminal';
import { runPath, statusWord, watchRun } from '../watch';
import { readJson, readWorkflowFile } from '../workflow-file';
import { objectAt, objectsAt, textAt, workflowIdOf, workflowOfFile, workflowPath } from '../workflows';

const RUN = [{ name: 'RUN' }] as const;

/** Starts a workflow. */
export const start = command({
  name: 'workflow run',
  summary: 'Starts a workflow',
  args: [{ name: 'ID|NAME|FILE' }],
  options: {
    input: { type: 'string', value: 'JSON', help: 'what becomes `trigger`: an object, @FILE, or - for standard input' },
    key: { type: 'string', value: 'KEY', help: 'an Idempotency-Key: the same key starts it once' },
    watch: { type: 'boolean', help: 'follows it to its end; the exit code is its outcome' },
  },
  async run({ args: [which = ''], options, session }) {
    const { client } = session;
    const input = await inputOf(session, options.input);
    const id = await idOf(session, which);
    const headers: Record<string, string> = options.key === undefined ? {} : { 'idempotency-key': options.key };
    return started(session, await client.call('POST', `${workflowPath(id)}/trigger`, input, headers), options.watch);
  },
});

/** A file refers to the workflow that it was pushed as. */
async function idOf({ client, world }: Session, which: string): Promise<string> {
  const path = resolve(world.cwd, which);
  if (!which.endsWith('.json') || !existsSync(path)) return workflowIdOf(client, which);
  const known = await workflowOfFile(client, readWorkflowFile(path));
  if (known !== null) return String(known.id);
  throw new CliError('not_found', `${which} is not on the server yet; push it first`);
}

async function inputOf({ world }: Session, given: string | undefined): Promise<JsonObject> {
  if (given === undefined) return {};
  const value = given.startsWith('@')
    ? readJson(resolve(world.cwd, given.slice(1)))
    : jsonOption('--input', given === '-' ? await world.readAll() : given);
  if (isObject(value)) return value as JsonObject;
  throw new CliError('usage', '--input must be a JSON object');
}

async function started(session: Session, run: JsonObject, watch: boolean): Promise<ExitName> {
  const id = textAt(run, 'id');
  if (!watch) {
    session.answer(run, () => session.world.out.line(id));
    return 'ok';
  }
  if (session.json) session.world.out.json({ event: 'started', id: null, data: run });
  else session.world.out.line('Run ', id);
  return watchRun(session, id);
}

/** Follows an active run, or shows an ended one. */
export const watch = command({
  name: 'run watch',
  summary: 'Follows a run to its end; exit code 1 when it fails or is cancelled',
  args: RUN,
  notes: ['It resumes after the last shown step when the connection breaks.'],
  run: ({ args: [id = ''], session }) => watchRun(session, id),
});

/** Lists runs, newest first. */
export const list = command({
  name: 'run list',
  summary: 'Lists runs, newest first',
  options: {
    workflow: { type: 'string', value: 'ID|NAME', help: 'of one workflow' },
    status: { type: 'string', value: 'STATUS', help: 'running, completed, failed or cancelled' },
    limit: { type: 'string', value: 'N', help: 'maximum number (20)' },
    labels: { type: 'boolean', help: 'shows the labels of the runs' },
  },
  async run({ options, session }) {
    const { client, world } = session;
    const limit = limitOption(options.limit);
    const query = new URLSearchParams({
      ...(options.workflow === undefined ? {} : { workflow_id: await workflowIdOf(client, options.workflow) }),
      ...(options.status === undefined ? {} : { status: options.status }),
    });
    const runs = await client.list(`/api/v1/executions?${query}`, limit);
    session.answer(runs, () =>
      world.out.table(
        ['ID', 'STATUS', 'STARTED', 'MS', 'BY', 'WORKFLOW', ...(options.labels ? ['LABELS'] : []), 'WHY'],
        runs.map((run) => [
          textAt(run, 'id'),
          statusWord(textAt(run, 'status')),
          textAt(run, 'started_at'),
          textAt(run, 'duration_ms'),
          textAt(run, 'trigger_type'),
          textAt(run, 'workflow_name'),
          ...(options.labels ? [labelsOf(run)] : []),
          reasonOf(run),
        ]),
      ),
    );
    return 'ok';
  },
});

const labelsOf = (run: JsonObject): string =>
  Object.entries(objectAt(run, 'labels'))
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');

/** Why a run failed, or what it waits for; empty otherwise. */
function reasonOf(run: JsonObject): string {
  const [wait] = objectsAt(run, 'waiting');
  if (wait?.kind === 'paused') return ['paused', textAt(wait, 'reason')].filter((part) => part !== '').join(': ');
  if (wait !== undefined) return ['waits for', textAt(wait, 'kind'), textAt(wait, 'step_id')].join(' ').trim();
  return textAt(objectAt(run, 'error'), 'message');
}

/** The log lines of a run, as far as there are any. */
export const logs = command({
  name: 'run logs',
  summary: 'Shows the log lines of the steps of a run',
  args: RUN,
  options: {
    step: { type: 'string', value: 'STEP', help: 'of one step, in a loop with its number: `charge.17`' },
    attempt: { type: 'string', value: 'N', help: 'of one attempt' },
  },
  async run({ args: [id = ''], options, session }) {
    const { client, world } = session;
    const query = new URLSearchParams({
      limit: '1000',
      ...(options.step === undefined ? {} : { step_id: options.step }),
      ...(options.attempt === undefined ? {} : { attempt: options.attempt }),
    });
    const lines: JsonObject[] = [];
    for (let more = true; more; ) {
      const read = await client.call('GET', `${runPath(id)}/logs?${query}`);
      lines.push(...objectsAt(read, 'data'));
      query.set('after', textAt(read, 'next_after'));
      more = read.more === true;
    }
    session.answer(lines, () => {
      for (const line of lines)
        world.out.line(
          [textAt(line, 'at'), textAt(line, 'level').padEnd(5), textAt(line, 'path'), textAt(line, 'message')].join(
            '  ',
          ),
        );
    });
    return 'ok';
  },
});

/** The document that a run executes, as a workflow file. */
export const document = command({
  name: 'run document',
  summary: 'Prints the document that a run executes, as a workflow file',
  args: RUN,
  async run({ args: [id = ''], session: { client, world } }) {
    const { workflow_def_id: workflow, workflow_name: name, dsl } = await client.call('GET', `${runPath(id)}/document`);
    world.out.raw(harmlessJson(`${JSON.stringify({ id: workflow, name, dsl }, null, 2)}\n`));
    return 'ok';
  },
});

/** Cancels a run. */
export const cancel = command({
  name: 'run cancel',
  summary: 'Cancels a run after its compensations',
  args: RUN,
  async run({ args: [id = ''], session }) {
    const run = await session.client.call('POST', `${runPath(id)}/cancel`, {});
    session.answer(run, () => session.world.out.line('Run ', id, ' is being cancelled'));
    return 'ok';
  },
});

/** Retries a failed run, reusing its completed steps. */
export const retry = command({
  name: 'run retry',
  summary: 'Retries a run, reusing its completed steps',
  args: RUN,
  options: {
    from: { type: 'string', value: 'STEP', help: 'repeat from this step on' },
    latest: { type: 'boolean', help: 'use the current version of the workflow' },
    watch: { type: 'boolean', help: 'follows the new run' },
  },
  async run({ args: [id = ''], options, session }) {
    const body = {
      ...(options.from === undefined ? {} : { from_step: options.from }),
      ...(options.latest ? { use_latest: true } : {}),
    };
    return started(session, await session.client.call('POST', `${runPath(id)}/retry`, body), options.watch);
  },
});
