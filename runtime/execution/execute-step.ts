/**
 * One attempt of one step: resolve, validate, record the intent, run, tokenize. Returns an outcome in every case.
 *
 *  P1  An effect begins only after its intent, and everything before it, is durable.
 *  P2  The node gets real values; records, logs and errors get redacted ones.
 *  P3  An attempt ends within its timeout, even if the node does not. Only the start of a child has no timeout: no run
 *      may fail because a service is being restarted.
 */
import { type EvaluationContext, render, renderOnThread, type Template } from '../../dsl';
import { ComputeError, sliceWork } from '../../lib/compute';
import { AppError, errorMessage } from '../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import { isUnprepared, prepareJson } from '../../lib/json/prepared';
import type { Effect, NodeType, Outcome } from '../../nodes/contract';
import type { AttemptResult } from '../core/decide/event';
import { evaluationEnvironment } from '../core/state/run-context';
import { connectionOf, contextOf } from './node-context';
import type { Attempt } from './attempt';
import { Aborted, DependencyUnavailable } from './deps';
import { ClaimLost } from './journal';
import { type Failure, failed, normalizeInline, normalizeOutcome } from './normalize-outcome';
import { detokenizedView } from './detokenized-view';
import { redactOutcome } from './redact-outcome';

/** A node's request for a run of another workflow. */
export type ChildRequest = Extract<Outcome, { kind: 'start_child' }>;

/** The outcome with its redacted input; `input` is absent where resolving it failed. */
export interface StepResult {
  readonly outcome: AttemptResult;
  readonly input?: Json;
  /** The output comes from a cache. */
  readonly instead?: 'cache';
}

/**
 * At once where the step only computes, else as a promise.
 * @throws ClaimLost, Aborted, DependencyUnavailable; every other fault becomes an outcome.
 */
export const executeStep = (p: Attempt): StepResult | Promise<StepResult> => executeInline(p) ?? executeInTurns(p);

async function executeInTurns(p: Attempt): Promise<StepResult> {
  const { redactor } = p;
  const node = p.node instanceof Promise ? await p.node : p.node;
  if (node === undefined)
    return { outcome: failed('unknown_type', `This installation has no step type "${p.step.def.type}"`) };
  let resolved: Resolved;
  let faults: string | null;
  try {
    resolved = await resolve(p, node.secrets ?? []);
    const { real } = resolved;
    faults = await p.inTurn(() => p.check(node, real, () => p.capabilities().compute));
  } catch (fault) {
    if (fault instanceof DependencyUnavailable || fault instanceof Aborted) throw fault;
    if (fault instanceof AppError && fault.type === 'unavailable')
      return { outcome: failed('unavailable', fault.message, true) };
    const isRetryable = fault instanceof ComputeError && fault.retryable;
    return { outcome: failed('expression', redactor.redactText(errorMessage(fault)), isRetryable) };
  }
  const { real, redacted, cacheInput } = resolved;
  if (faults !== null) return { outcome: failed('invalid_input', redactor.redactText(faults)), input: redacted };
  const cacheKey: Json = [node.version, cacheInput];
  const known = (await p.cache?.find(cacheKey)) ?? null;
  if (known !== null) return { outcome: { kind: 'done', output: known }, input: redacted, instead: 'cache' };
  const obstacle = await connectionObstacle(p, node, real);
  if (obstacle !== null) return { outcome: obstacle, input: redacted };
  if (effectOf(node, real) !== 'pure') await p.intend(redacted);
  const result = await resultOf(p, redacted, await run(p, node, real));
  if (result.outcome.kind === 'done') await p.cache?.keep(cacheKey, result.outcome.output);
  return result;
}

/**
 * Executes a step that only computes, without the promises of `executeInTurns`, which would be half of its cost. Null when
 * the step may have to wait for something, or fails, before its node runs: then nothing has been done. A promise when the
 * node does not answer at once, or answers with more than a short output.
 */
function executeInline(p: Attempt): StepResult | Promise<StepResult> | null {
  const { node, context, redactor } = p;
  if (node === undefined || node instanceof Promise || p.cache !== null) return null;
  if (node.effect !== 'pure' || node.connections !== undefined || (node.secrets ?? []).length > 0) return null;
  if (context.plan.plan.secrets.length > 0 || !redactor.isEmpty) return null;
  const begun = p.tryInTurn(() => runInline(p, node))?.value ?? null;
  if (begun === null) return null;
  const { input, answer } = begun;
  if (answer instanceof Promise)
    return bounded(p, answer).then(
      (outcome) => resultOf(p, input, outcome),
      (fault: unknown) => resultOf(p, input, nodeFailure(p, fault)),
    );
  const outcome = redactor.isEmpty && !isUnprepared(input) ? normalizeInline(answer) : null;
  return outcome?.kind === 'done' ? { outcome, input } : resultOf(p, input, answer);
}

/** The valid input, and what the node answers to it; null where it takes waiting to render or check the input. */
function runInline(p: Attempt, node: NodeType): { input: JsonObject; answer: Outcome | Promise<Outcome> } | null {
  const input = inputInline(p, node);
  if (input === null) return null;
  try {
    return { input, answer: node.run(contextOf(p, input)) };
  } catch (fault) {
    return { input, answer: nodeFailure(p, fault) };
  }
}

function inputInline(p: Attempt, node: NodeType): JsonObject | null {
  try {
    const env = evaluationEnvironment(p.context, p.view, p.attempt, p.inputs);
    const rendering = sliceWork(() => render(p.step.config, env));
    if (rendering.kind !== 'done') return null;
    const input = asObject(rendering.value);
    return p.check(node, input, noThread) === null ? input : null;
  } catch {
    // Also for an input that is checked on a thread. `executeInTurns` meets and reports other faults again.
    return null;
  }
}

const noThread = (): never => {
  throw new Error('The input is too large to be checked at once');
};

/** Makes the answer of a node fit for the record. */
async function resultOf(p: Attempt, redacted: Json, answered: Outcome): Promise<StepResult> {
  const { redactor } = p;
  const answer = await p.inTurn(() => normalizeOutcome(answered));
  if (answer.kind !== 'start_child') {
    const outcome = await redactOutcome(answer, redactor);
    if (outcome.kind === 'done') await prepareJson(outcome.output, p.tenantId);
    await prepareJson(redacted, p.tenantId);
    return { outcome, input: redacted };
  }
  // Redacted, because the input of a run is stored and shown.
  const request = { ...answer, input: (await redactor.redactOutgoingSliced(answer.input)) as JsonObject };
  return { outcome: await p.startChild(request, redacted), input: redacted };
}

/**
 * Why the connection of a step cannot be used, or not yet; null when it can, or when the step needs none. @throws
 * ClaimLost, DependencyUnavailable, Aborted
 */
async function connectionObstacle(
  p: Attempt,
  node: NodeType,
  { connection }: JsonObject,
): Promise<AttemptResult | null> {
  const { connections, needsConnection = false } = node;
  const ref = typeof connection === 'string' ? connection : needsConnection ? '' : null;
  if (connections === undefined || ref === null) return null;
  try {
    const known = await bounded(p, connectionOf(p, ref, { connectors: connections }));
    if (known.kind === 'ready') return await p.admit(known);
    return known.kind === 'fail' ? known : failed(known.error.code, p.redactor.redactText(known.error.message));
  } catch (fault) {
    if (fault instanceof Aborted || fault instanceof ClaimLost || fault instanceof DependencyUnavailable) throw fault;
    return failed('node_error', p.redactor.redactText(errorMessage(fault)), true);
  }
}

/** The effect of an attempt with this input. */
const effectOf = (node: NodeType, input: JsonObject): Effect =>
  typeof node.effect === 'function' ? node.effect(input) : node.effect;

/** The configuration of a step: with secret values, redacted for the record, and the input of its cache key. */
interface Resolved {
  readonly real: JsonObject;
  readonly redacted: Json;
  readonly cacheInput: Json;
}

/** `asked`: names of secrets that the node type requests itself. */
async function resolve(p: Attempt, asked: readonly string[]): Promise<Resolved> {
  const { step, context, redactor, view } = p;
  const known = context.plan.plan.secrets;
  if (known.length + asked.length === 0) {
    const env = evaluationEnvironment(context, view, p.attempt, p.inputs);
    const real = asObject(await rendered(p, step.config, env));
    return { real, redacted: real, cacheInput: step.cacheKey === null ? real : await rendered(p, step.cacheKey, env) };
  }
  const names = asked.every((name) => known.includes(name)) ? known : [...known, ...asked];
  const values = await p.secrets(names);
  redactor.register(values, names);
  const missing = [...step.secrets, ...asked].find((name) => !values.has(name));
  if (missing !== undefined) throw new Error(`There is no secret named ${missing}`);
  const detokenized = await p.inTurn(() => detokenizedView(step, view, redactor));
  const env = evaluationEnvironment(context, detokenized, p.attempt, p.inputs, Object.fromEntries(values));
  const real = asObject(await rendered(p, step.config, env));
  const by = step.cacheKey === null ? real : await rendered(p, step.cacheKey, env);
  const redacted = await redactor.redactSliced(real);
  return { real, redacted, cacheInput: p.cache === null ? null : await redactor.fingerprint(by) };
}

/**
 * The value of a template, computed inline, or on a compute thread when it is expensive. @throws ExpressionError,
 * ComputeError
 */
async function rendered(p: Attempt, template: Template, env: EvaluationContext): Promise<Json> {
  const inline = await p.inTurn(() => sliceWork(() => render(template, env)));
  return inline.kind === 'done' ? inline.value : renderOnThread(p.capabilities().compute, template, env);
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new Error('The configuration of a step must be an object');
}

async function run(p: Attempt, node: NodeType, input: JsonObject): Promise<Outcome> {
  const context = contextOf(p, input);
  try {
    // Wrapped, so that the turn ends when the node returns or awaits.
    const { running } = await p.inTurn(() => ({ running: node.run(context) }));
    return running instanceof Promise ? await bounded(p, running) : running;
  } catch (fault) {
    return nodeFailure(p, fault);
  }
}

/** The failure of a node that has thrown. @throws ClaimLost, Aborted, DependencyUnavailable */
function nodeFailure(p: Attempt, fault: unknown): Failure {
  if (fault instanceof ClaimLost || fault instanceof Aborted || fault instanceof DependencyUnavailable) throw fault;
  return failed('node_error', p.redactor.redactText(errorMessage(fault)), true);
}

/** The result, or the outcome of the timeout: then the attempt is aborted, and not awaited. */
async function bounded<T>(p: Attempt, running: Promise<T> | T): Promise<T | Failure> {
  const { timeoutMs } = p.step.def;
  if (timeoutMs === null) return running;
  let cancel = (): void => {};
  const late = new Promise<Failure>((resolveLate) => {
    cancel = p.clock.after(timeoutMs, () => {
      p.attemptInFlight.abort();
      resolveLate(failed('timed_out', `The step took longer than its timeout of ${timeoutMs} ms`, true));
    });
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    cancel();
  }
}
