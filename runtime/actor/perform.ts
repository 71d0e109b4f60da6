/**
 * One attempt of one step: resolve, check, record the intent, run, seal. Returns an outcome, whatever happens.
 *
 *  P1  An effect begins only after its intent, and all that came before it, is durable.
 *  P2  The node sees real values; the record, the log and errors see masked ones.
 *  P3  An attempt ends within its timeout, even if the node does not. Only the start of a child takes as long as it
 *      takes: nobody may fail a run because a service is being restarted.
 */
import { type PreparedStep, render } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { Connected, ConnectionWanted, Effect, NodeType, Outcome } from '../../nodes/contract';
import type { InputCheck } from '../host/registry';
import type { Settled } from '../rules/event';
import { type Circumstances, type RunFacts, scope } from '../rules/scope';
import type { Veil } from '../rules/veil';
import type { View } from '../rules/view';
import { connectionOf, contextOf, type Lent } from './context';
import { Aborted, StepAside } from './deps';
import type { Flight } from './flight';
import { ClaimLost } from './journal';
import { type Failure, failed, sound } from './outcome';
import { openedFor } from './opened';
import { sealed } from './sealed';
import type { StepCache } from './step-cache';

/** What an attempt needs from its actor. */
export interface Performance extends Lent {
  readonly facts: RunFacts;
  readonly step: PreparedStep;
  readonly attempt: number;
  readonly view: View;
  readonly veil: Veil;
  readonly at: Circumstances;
  readonly node: NodeType | undefined | Promise<NodeType | undefined>;
  readonly check: InputCheck;
  /** Null for steps whose outputs count in their own run alone. */
  readonly cache: StepCache | null;
  readonly clock: Clock;
  readonly flight: Flight;
  /** Values of those secrets that exist, newest first. */
  secrets(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** @throws StepAside */
  connection(ref: string, wanted: ConnectionWanted): Promise<Connected>;
  /** Records the intent of an effect; resolves when it is durable. @throws ClaimLost, Aborted */
  intend(input: Json): Promise<void>;
  /** Starts the run that a node asks for, with this masked input of the step. @throws ClaimLost, Aborted */
  startChild(asked: ChildAsked, input: Json): Promise<Settled>;
}

/** A node's wish for a run of another workflow. */
export type ChildAsked = Extract<Outcome, { kind: 'start_child' }>;

/** The outcome with its masked input; `input` is absent where resolving it failed. */
export interface Performed {
  readonly outcome: Settled;
  readonly input?: Json;
  /** The work was not done: a cache had its output. */
  readonly instead?: 'cache';
}

/** @throws ClaimLost, Aborted, StepAside; every other fault becomes an outcome. */
export async function perform(p: Performance): Promise<Performed> {
  const { veil } = p;
  const node = p.node instanceof Promise ? await p.node : p.node;
  if (node === undefined)
    return { outcome: failed('unknown_type', `This installation has no step type "${p.step.def.type}"`) };
  let resolved: Resolved;
  try {
    resolved = await resolve(p, node.secrets ?? []);
  } catch (fault) {
    if (fault instanceof StepAside) throw fault;
    return { outcome: failed('expression', veil.maskText(errorMessage(fault))) };
  }
  const { real, masked, cachedBy } = resolved;
  const faults = p.check(node, real);
  if (faults !== null) return { outcome: failed('invalid_input', veil.maskText(faults)), input: masked };
  const cachedAs: Json = [node.version, cachedBy];
  const known = (await p.cache?.find(cachedAs)) ?? null;
  if (known !== null) return { outcome: { kind: 'done', output: known }, input: masked, instead: 'cache' };
  const refusal = await refusedConnection(p, node, real);
  if (refusal !== null) return { outcome: refusal, input: masked };
  if (effectOf(node, real) !== 'pure') await p.intend(masked);
  const answer = sound(await run(p, node, real));
  if (answer.kind !== 'start_child') {
    const outcome = sealed(answer, veil);
    if (outcome.kind === 'done') await p.cache?.keep(cachedAs, outcome.output);
    return { outcome, input: masked };
  }
  // Masked: what a run is started with is stored with it, and shown.
  const asked = { ...answer, input: veil.mask(answer.input) as JsonObject };
  return { outcome: await p.startChild(asked, masked), input: masked };
}

/** Why the connection of a step cannot be used; null where it can, and where there need be none. @throws StepAside, Aborted */
async function refusedConnection(p: Performance, node: NodeType, { connection }: JsonObject): Promise<Failure | null> {
  const { connections, needsConnection = false } = node;
  const ref = typeof connection === 'string' ? connection : needsConnection ? '' : null;
  if (connections === undefined || ref === null) return null;
  try {
    const known = await bounded(p, connectionOf(p, ref, { connectors: connections }));
    if (known.kind === 'ready') return null;
    return known.kind === 'fail' ? known : failed(known.error.code, p.veil.maskText(known.error.message));
  } catch (fault) {
    if (fault instanceof Aborted || fault instanceof StepAside) throw fault;
    return failed('node_error', p.veil.maskText(errorMessage(fault)), true);
  }
}

/** What an attempt with this input does to the world. */
const effectOf = (node: NodeType, input: JsonObject): Effect =>
  typeof node.effect === 'function' ? node.effect(input) : node.effect;

/** The configuration of a step: as its node sees it, as it is recorded, and what an output is cached by. */
interface Resolved {
  readonly real: JsonObject;
  readonly masked: Json;
  readonly cachedBy: Json;
}

/** `asked`: names of the secrets that the node type uses by itself. */
async function resolve(p: Performance, asked: readonly string[]): Promise<Resolved> {
  const { step, facts, veil, view } = p;
  const known = facts.plan.plan.secrets;
  if (known.length + asked.length === 0) {
    const env = scope(facts, view, p.attempt, p.at);
    const real = asObject(render(step.config, env));
    return { real, masked: real, cachedBy: step.cacheKey === null ? real : render(step.cacheKey, env) };
  }
  const values = await p.secrets(asked.every((name) => known.includes(name)) ? known : [...known, ...asked]);
  veil.learn(values);
  const missing = [...step.secrets, ...asked].find((name) => !values.has(name));
  if (missing !== undefined) throw new Error(`There is no secret named ${missing}`);
  const opened = openedFor(step, view, veil);
  const env = scope(facts, opened, p.attempt, p.at, Object.fromEntries(values));
  const real = asObject(render(step.config, env));
  const cachedBy = veil.label(step.cacheKey === null ? real : render(step.cacheKey, env));
  return { real, masked: veil.mask(real), cachedBy };
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new Error('The configuration of a step must be an object');
}

async function run(p: Performance, node: NodeType, input: JsonObject): Promise<Outcome> {
  const context = contextOf(p, input);
  try {
    return node.immediate === true ? await node.run(context) : await bounded(p, node.run(context));
  } catch (fault) {
    if (fault instanceof ClaimLost || fault instanceof Aborted || fault instanceof StepAside) throw fault;
    return failed('node_error', p.veil.maskText(errorMessage(fault)), true);
  }
}

/** What is waited for, or the outcome of the timeout: then it is told to stop, and not waited for. */
async function bounded<T>(p: Performance, running: Promise<T> | T): Promise<T | Failure> {
  const { timeoutMs } = p.step.def;
  if (timeoutMs === null) return running;
  let cancel = (): void => {};
  const late = new Promise<Failure>((resolveLate) => {
    cancel = p.clock.after(timeoutMs, () => {
      p.flight.abort();
      resolveLate(failed('timed_out', `The step took longer than its timeout of ${timeoutMs} ms`, true));
    });
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    cancel();
  }
}
