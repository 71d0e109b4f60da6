/**
 * One attempt of one step: resolve, check, record the intent, run, seal. Returns an outcome, whatever happens.
 *
 *  P1  An effect begins only after its intent, and all that came before it, is durable.
 *  P2  The node sees real values; the record, the log and errors see masked ones.
 *  P3  An attempt ends within its timeout, even if the node does not. Only the start of a child takes as long as it
 *      takes: nobody may fail a run because a service is being restarted.
 */
import { type PreparedStep, render, templateRefs } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import type { Effect, NodeContext, NodeHttp, NodeType, Outcome, WaitSpec } from '../../nodes/contract';
import type { InputCheck } from '../host/registry';
import type { Settled } from '../rules/decide';
import { type Circumstances, type RunFacts, scope } from '../rules/scope';
import { StepAside } from './deps';
import type { Flight } from './flight';
import type { Veil } from '../rules/veil';
import { failed, sound } from './outcome';

/** What an attempt needs from its actor. */
export interface Performance {
  readonly facts: RunFacts;
  readonly step: PreparedStep;
  readonly attempt: number;
  readonly outputs: JsonObject;
  readonly veil: Veil;
  readonly at: Circumstances;
  readonly node: NodeType | undefined;
  readonly check: InputCheck;
  readonly clock: Clock;
  readonly http: NodeHttp;
  readonly flight: Flight;
  readonly idempotencyKey: () => string;
  /** Values of those secrets that exist, newest first. */
  secrets(names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Records the intent of an effect; resolves when it is durable. @throws ClaimLost */
  intend(input: Json): Promise<void>;
  /** Starts the run that a node asks for, with this masked input of the step. @throws ClaimLost */
  startChild(asked: ChildAsked, input: Json): Promise<Settled>;
  log: NodeContext['log'];
}

/** A node's wish for a run of another workflow. */
export type ChildAsked = Extract<Outcome, { kind: 'start_child' }>;

/** The outcome with its masked input; `input` is absent where resolving it failed. */
export interface Performed {
  readonly outcome: Settled;
  readonly input?: Json;
}

/** @throws ClaimLost, StepAside; every other fault becomes an outcome. */
export async function perform(p: Performance): Promise<Performed> {
  const { node, veil } = p;
  if (node === undefined)
    return { outcome: failed('unknown_type', `This installation has no step type "${p.step.def.type}"`) };
  let resolved: { real: JsonObject; masked: Json };
  try {
    resolved = await resolve(p);
  } catch (fault) {
    if (fault instanceof StepAside) throw fault;
    return { outcome: failed('expression', veil.maskText(errorMessage(fault))) };
  }
  const { real, masked } = resolved;
  const faults = p.check(node, real);
  if (faults !== null) return { outcome: failed('invalid_input', veil.maskText(faults)), input: masked };
  if (effectOf(node, real) !== 'pure') await p.intend(masked);
  const answer = sound(await run(p, node, real));
  if (answer.kind !== 'start_child') return { outcome: sealed(answer, veil), input: masked };
  // Masked: what a run is started with is stored with it, and shown.
  const asked = { ...answer, input: veil.mask(answer.input) as JsonObject };
  return { outcome: await p.startChild(asked, masked), input: masked };
}

/** What an attempt with this input does to the world. */
const effectOf = (node: NodeType, input: JsonObject): Effect =>
  typeof node.effect === 'function' ? node.effect(input) : node.effect;

async function resolve(p: Performance): Promise<{ real: JsonObject; masked: Json }> {
  const { step, facts, veil } = p;
  if (facts.plan.plan.secrets.length === 0) {
    const real = asObject(render(step.config, scope(facts, p.outputs, p.attempt, p.at)));
    return { real, masked: real };
  }
  const values = await p.secrets(facts.plan.plan.secrets);
  veil.learn(values);
  const missing = secretsOf(step).find((name) => !values.has(name));
  if (missing !== undefined) throw new Error(`There is no secret named ${missing}`);
  const outputs = veil.open(p.outputs) as JsonObject;
  const real = asObject(render(step.config, scope(facts, outputs, p.attempt, p.at, Object.fromEntries(values))));
  return { real, masked: veil.mask(real) };
}

const secretNames = new WeakMap<PreparedStep, readonly string[]>();

function secretsOf(step: PreparedStep): readonly string[] {
  const known = secretNames.get(step) ?? templateRefs(step.config).secrets;
  secretNames.set(step, known);
  return known;
}

function asObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  throw new Error('The configuration of a step must be an object');
}

async function run(p: Performance, node: NodeType, input: JsonObject): Promise<Outcome> {
  const context: NodeContext = {
    input,
    get signal() {
      return p.flight.signal;
    },
    get idempotencyKey() {
      return p.idempotencyKey();
    },
    attempt: p.attempt,
    now: p.at.now,
    http: p.http,
    log: (level, message, data) =>
      p.log(level, p.veil.maskText(message), data === undefined ? undefined : p.veil.mask(data)),
    mask: (text) => p.veil.maskText(text),
  };
  try {
    return node.immediate === true ? await node.run(context) : await bounded(p, node.run(context));
  } catch (fault) {
    return failed('node_error', p.veil.maskText(errorMessage(fault)), true);
  }
}

/** The node's own outcome, or the timeout's: then the node is told to stop, and not waited for. */
async function bounded(p: Performance, running: Promise<Outcome> | Outcome): Promise<Outcome> {
  let cancel = (): void => {};
  const late = new Promise<Outcome>((resolveLate) => {
    cancel = p.clock.after(p.step.def.timeoutMs, () => {
      p.flight.abort();
      resolveLate(failed('timed_out', `The step took longer than its timeout of ${p.step.def.timeoutMs} ms`, true));
    });
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    cancel();
  }
}

/** No secret value in it, nor in what it may turn into later. */
function sealed(outcome: Exclude<Outcome, ChildAsked>, veil: Veil): Settled {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done', output: veil.seal(outcome.output) as JsonObject };
    case 'stop':
      return 'error' in outcome
        ? { kind: 'stop', error: veil.mask({ ...outcome.error }) as unknown as typeof outcome.error }
        : { kind: 'stop', output: veil.seal(outcome.output) as JsonObject };
    case 'fail':
      return { ...outcome, error: veil.mask({ ...outcome.error }) as unknown as typeof outcome.error };
    case 'wait':
      return { kind: 'wait', wait: sealedWait(outcome.wait, veil) };
  }
}

/** What a wait shows to people is masked; what it may put out is sealed. A signal's name is matched as it is. */
function sealedWait(wait: WaitSpec, veil: Veil): WaitSpec {
  if (wait.kind === 'timer') return { ...wait, output: veil.seal(wait.output) as JsonObject };
  const { onTimeout } = wait;
  const policy =
    onTimeout.kind === 'complete'
      ? { ...onTimeout, output: veil.seal(onTimeout.output) as JsonObject }
      : { ...onTimeout, error: veil.mask({ ...onTimeout.error }) as unknown as typeof onTimeout.error };
  if (wait.kind === 'signal') return { ...wait, onTimeout: policy };
  return { ...wait, message: veil.maskText(wait.message), form: veil.mask(wait.form), onTimeout: policy };
}
