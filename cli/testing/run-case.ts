import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { CliError } from '../exits';
import { objectsAt, textAt } from '../workflows';
import { Answers } from './answers';
import { differences, reachedOutside, type RunResult } from './compare';
import { type Effects, prepare, triggerOf } from './document';
import type { TestCase, TestFile } from './test-file';

export interface CaseResult {
  readonly file: string;
  readonly name: string;
  /** Differences and faults; none for a case that passed. */
  readonly faults: readonly string[];
  readonly ms: number;
  /** How the run ended; absent when it could not be run as the case says. */
  readonly seen?: RunResult;
}

const TIMEOUT_S = 15;
const POLL_MS = 40;
const MAX_STEPS = 5_000;

/** Runs a case as a trial, and compares what became of it. */
export async function runCase(client: Client, file: TestFile, given: TestCase, effects: Effects): Promise<CaseResult> {
  const began = performance.now();
  const result = (faults: readonly string[], seen?: RunResult): CaseResult => ({
    file: file.path,
    name: given.name,
    faults,
    ms: Math.round(performance.now() - began),
    ...(seen === undefined || reachedOutside(seen) ? {} : { seen }),
  });
  const { dsl, pins, faults } = prepare(file.workflow.dsl, given, effects);
  if (faults.length > 0) return result(faults);
  try {
    const { now } = given;
    const trigger = triggerOf(file.workflow.dsl, given);
    const body = { dsl, pins, trigger, suppress_writes: true, ...(now === undefined ? {} : { now }) };
    const id = textAt(await client.call('POST', '/api/v1/workflows/try', body), 'id');
    const run = await watch(client, id, given);
    const steps = await client.list(`/api/v1/executions/${id}/detail`, MAX_STEPS, 'steps');
    const seen: RunResult = {
      status: run.status,
      output: run.execution.output ?? null,
      error: isObject(run.execution.error) ? run.execution.error : null,
      waiting: run.waiting,
      steps,
    };
    if (run.status === 'waiting' || run.status === 'running')
      await client.call('POST', `/api/v1/executions/${id}/cancel`, {});
    return result(differences(seen, given.expect), seen);
  } catch (fault) {
    if (!(fault instanceof CliError) || fault.exit === 'unreachable' || fault.exit === 'interrupted') throw fault;
    const details = (fault.more.details ?? []).map(({ path, message }) => `${path}: ${message}`);
    return result([fault.message, ...details]);
  }
}

interface Watched {
  readonly execution: JsonObject;
  readonly status: string;
  readonly waiting: readonly string[];
}

/** Follows a run to its end, or to a wait for which the case has nothing; sends what the case has. */
async function watch(client: Client, id: string, given: TestCase): Promise<Watched> {
  const until = performance.now() + (given.timeout ?? TIMEOUT_S) * 1_000;
  const answers = new Answers(given);
  for (;;) {
    const execution = await client.call('GET', `/api/v1/executions/${id}`);
    const status = textAt(execution, 'status');
    if (status !== 'running') return { execution, status, waiting: [] };
    for (const answer of answers.next(objectsAt(execution, 'waiting')))
      await client.call('POST', `/api/v1/executions/${id}/signal`, answer);
    const { unanswered } = answers;
    if (unanswered.length > 0) return { execution, status: 'waiting', waiting: unanswered };
    if (performance.now() > until)
      throw new CliError('refused', `the run has not ended within ${given.timeout ?? TIMEOUT_S} s (timeout)`);
    await sleep(POLL_MS);
  }
}
