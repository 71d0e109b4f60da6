import type { Json, JsonObject } from '../../lib/json';
import type {
  ConnectionResult,
  ConnectionRequest,
  EmitResult,
  EmittedSignal,
  NodeContext,
  NodeRun,
  SubStepResult,
  NodeType,
} from '../../nodes/contract';
import type { StepEntry } from '../core/entries/entry';
import { detokenizedOutputs } from './detokenized-view';
import { asJson } from './normalize-outcome';
import type { Attempt } from './attempt';

/** A checkpoint, without the fields of its attempt. */
export type Checkpoint = Pick<Extract<StepEntry, { kind: 'step.noted' }>, 'key' | 'value' | 'usage'>;

/** The context of the node of an attempt. */
export const contextOf = (p: Attempt, input: JsonObject): NodeContext => new StepContext(p, '', input);

/** A class, as an object with a closure for each member took a tenth of the time of a small step. */
class StepContext implements NodeContext {
  constructor(
    private readonly p: Attempt,
    private readonly part: string,
    readonly input: JsonObject,
  ) {}

  get signal() {
    return this.p.attemptInFlight.signal;
  }

  get idempotencyKey() {
    return this.p.keyOf(this.part);
  }

  get attempt() {
    return this.p.attempt;
  }

  get now() {
    return this.p.inputs.now;
  }

  get http() {
    return this.p.http;
  }

  get capabilities() {
    return this.p.capabilities();
  }

  get files() {
    return this.p.files();
  }

  get skills() {
    return this.p.skills();
  }

  get knowledge() {
    return this.p.knowledge();
  }

  get stream() {
    // Tools of a step do not stream.
    return this.part === '' ? this.p.stream() : null;
  }

  /** Passed on as a function by nodes. */
  get redact() {
    const { redactor } = this.p;
    return (text: string): string => redactor.redactText(text);
  }

  run(): NodeRun {
    const { context, view, redactor } = this.p;
    return {
      trigger: context.trigger,
      steps: detokenizedOutputs(view, redactor),
      loop: redactor.detokenize(view.loop() ?? null),
    };
  }

  once(key: string, act: () => Promise<SubStepResult>, interrupted?: () => SubStepResult): Promise<Json> {
    return once(this.p, this.inPart(key), act, interrupted);
  }

  checkpoint(key: string): Json | undefined {
    const { redactor } = this.p;
    const made = this.p.checkpoints()?.get(this.inPart(key));
    return made === undefined || made === null ? undefined : redactor.detokenize(made.value);
  }

  keyOf(part: string): string {
    return this.p.keyOf(this.inPart(part));
  }

  nodeType(type: string): Promise<NodeType | undefined> {
    return this.p.nodeType(type);
  }

  secrets(names: readonly string[]): Promise<Record<string, string>> {
    return secretsOf(this.p, names);
  }

  connection(ref: string, wanted: ConnectionRequest): Promise<ConnectionResult> {
    return connectionOf(this.p, ref, wanted);
  }

  within(part: string, input: JsonObject): NodeContext {
    return new StepContext(this.p, this.inPart(part), input);
  }

  emit(signal: EmittedSignal): Promise<EmitResult> {
    const data = this.p.redactor.redactOutgoing(signal.data) as JsonObject;
    return this.p.emit(this.p.keyOf(this.part), { ...signal, data });
  }

  log(level: Parameters<NodeContext['log']>[0], message: string, data?: Json): void {
    const { redactor } = this.p;
    this.p.log(level, redactor.redactText(message), data === undefined ? undefined : redactor.redact(data));
  }

  /** Not `#`: an object that inherits from a context calls it, too. */
  private inPart(key: string): string {
    return this.part === '' ? key : `${this.part}/${key}`;
  }
}

/** See NodeContext.once. The intent is durable before `act` begins, and the result before it is returned. */
async function once(
  p: Attempt,
  key: string,
  act: () => Promise<SubStepResult>,
  interrupted?: () => SubStepResult,
): Promise<Json> {
  const known = p.checkpoints()?.get(key);
  if (known !== undefined && known !== null) return p.redactor.detokenize(known.value);
  if (known === undefined) await p.checkpoint({ key });
  const { value, usage } = known === null && interrupted !== undefined ? interrupted() : await act();
  const tokenized = await p.redactor.tokenizeSliced(asJson(value));
  await p.checkpoint({ key, value: tokenized, ...(usage === undefined ? {} : { usage }) });
  return p.redactor.detokenize(tokenized);
}

async function secretsOf(p: Attempt, names: readonly string[]): Promise<Record<string, string>> {
  const values = await p.secrets(names);
  p.redactor.register(values, names);
  const missing = names.find((name) => !values.has(name));
  if (missing !== undefined) throw new Error(`There is no secret named ${missing}`);
  return Object.fromEntries(values);
}

/** The credentials of a connection are secrets of the run as soon as they are known here. */
export async function connectionOf(p: Attempt, ref: string, wanted: ConnectionRequest): Promise<ConnectionResult> {
  const known = await p.connection(ref, wanted);
  if (known.kind === 'ready') p.redactor.register(secretsIn(known));
  return known;
}

function secretsIn({ connection }: Extract<ConnectionResult, { kind: 'ready' }>): Map<string, string> {
  const { id, credentials, plain = [] } = connection;
  const name = `connection_${id.replace(/\W/g, '_')}`;
  const secrets = Object.entries(credentials).filter(([field]) => !plain.includes(field));
  return new Map(secrets.map(([field, value]) => [`${name}_${field.replace(/\W/g, '_')}`, value]));
}
