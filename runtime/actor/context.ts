import type { Json, JsonObject } from '../../lib/json';
import type {
  Connected,
  ConnectionWanted,
  Emitted,
  EmittedSignal,
  NodeContext,
  NodeFiles,
  NodeHttp,
  NodeKnowledge,
  NodeMeans,
  NodeSkills,
  Noted,
  NodeType,
  Voice,
} from '../../nodes/contract';
import type { StepEntry } from '../record/entry';
import type { Notes } from '../record/state';
import { openedWhole } from './opened';
import { asJson } from './outcome';
import type { Performance } from './perform';

/** A note, but for the attempt that makes it. */
export type NoteMade = Pick<Extract<StepEntry, { kind: 'step.noted' }>, 'key' | 'value' | 'usage'>;

/** What a node is lent, as its actor has it. */
export interface Lent {
  readonly http: NodeHttp;
  readonly means: () => NodeMeans;
  readonly files: () => NodeFiles;
  readonly skills: () => NodeSkills;
  readonly knowledge: () => NodeKnowledge;
  readonly notes: () => Notes | undefined;
  /** Records a note; resolves when it is durable. @throws ClaimLost, Aborted */
  note(made: NoteMade): Promise<void>;
  /** The same for all attempts of the step; `part` is empty for the step itself. */
  keyOf(part: string): string;
  nodeType(type: string): Promise<NodeType | undefined>;
  emit(messageId: string, signal: EmittedSignal): Promise<Emitted>;
  /** Null while nobody listens to this step. */
  voice(): Voice | null;
  log: NodeContext['log'];
}

/** What the node of an attempt may touch. */
export const contextOf = (p: Performance, input: JsonObject): NodeContext => partOf(p, '', input);

function partOf(p: Performance, part: string, input: JsonObject): NodeContext {
  const inPart = (key: string): string => (part === '' ? key : `${part}/${key}`);
  return {
    input,
    get signal() {
      return p.flight.signal;
    },
    get idempotencyKey() {
      return p.keyOf(part);
    },
    attempt: p.attempt,
    now: p.at.now,
    http: p.http,
    get means() {
      return p.means();
    },
    run: () => ({
      trigger: p.facts.trigger,
      steps: openedWhole(p.view, p.veil),
      loop: p.veil.open(p.view.loop() ?? null),
    }),
    once: (key, act, interrupted) => once(p, inPart(key), act, interrupted),
    noted: (key) => {
      const note = p.notes()?.get(inPart(key));
      return note === undefined || note === null ? undefined : p.veil.open(note.value);
    },
    keyOf: (key) => p.keyOf(inPart(key)),
    nodeType: (type) => p.nodeType(type),
    secrets: (names) => secretsOf(p, names),
    connection: (ref, wanted) => connectionOf(p, ref, wanted),
    get files() {
      return p.files();
    },
    get skills() {
      return p.skills();
    },
    get knowledge() {
      return p.knowledge();
    },
    within: (inner, innerInput) => partOf(p, inPart(inner), innerInput),
    emit: (signal) => p.emit(p.keyOf(part), { ...signal, data: p.veil.mask(signal.data) as JsonObject }),
    get voice() {
      // A tool of a step does not speak for it.
      return part === '' ? p.voice() : null;
    },
    log: (level, message, data) =>
      p.log(level, p.veil.maskText(message), data === undefined ? undefined : p.veil.mask(data)),
    mask: (text) => p.veil.maskText(text),
  };
}

/** See NodeContext.once. The intent is durable before `act` begins, and what it came to before anybody learns of it. */
async function once(p: Performance, key: string, act: () => Promise<Noted>, interrupted?: () => Noted): Promise<Json> {
  const known = p.notes()?.get(key);
  if (known !== undefined && known !== null) return p.veil.open(known.value);
  if (known === undefined) await p.note({ key });
  const { value, usage } = known === null && interrupted !== undefined ? interrupted() : await act();
  const sealed = p.veil.seal(asJson(value));
  await p.note({ key, value: sealed, ...(usage === undefined ? {} : { usage }) });
  return p.veil.open(sealed);
}

async function secretsOf(p: Performance, names: readonly string[]): Promise<Record<string, string>> {
  const values = await p.secrets(names);
  p.veil.learn(values);
  const missing = names.find((name) => !values.has(name));
  if (missing !== undefined) throw new Error(`There is no secret named ${missing}`);
  return Object.fromEntries(values);
}

/** What a connection shows at its provider is a secret of the run from the moment it is known here. */
export async function connectionOf(p: Performance, ref: string, wanted: ConnectionWanted): Promise<Connected> {
  const known = await p.connection(ref, wanted);
  if (known.kind === 'ready') p.veil.learn(secretsIn(known));
  return known;
}

function secretsIn({ connection }: Extract<Connected, { kind: 'ready' }>): Map<string, string> {
  const { id, credentials, plain = [] } = connection;
  const name = `connection_${id.replace(/\W/g, '_')}`;
  const secrets = Object.entries(credentials).filter(([field]) => !plain.includes(field));
  return new Map(secrets.map(([field, value]) => [`${name}_${field.replace(/\W/g, '_')}`, value]));
}
