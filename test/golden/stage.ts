import { compile, type PreparedPlan, prepare, validateDocument, type WorkflowDocument } from '../../dsl';
import type { Json } from '../../lib/json';
import { type Sandbox, SandboxPool } from '../../lib/sandbox';
import { CustomTypes, readDefinition } from '../../nodes/custom';
import { decodeEntries } from '../../runtime/core/entries/codec';
import type { Entry, StepEntry } from '../../runtime/core/entries/entry';
import { CANCEL } from '../../runtime/core/state/state';
import type { Execution } from '../../runtime/core/model';
import { stepView } from '../../services/executor/step-views';
import { rowsOf } from '../support/step-rows';
import { settle, until } from '../support/manual-clock';
import { noCapabilities } from '../support/runtime/no-capabilities';
import type { CrashPoint } from '../support/runtime/sim-store';
import { World } from '../support/runtime/world';
import { builtIn } from '../support/vocabulary';
import type { Act, Answer, Golden } from './golden';

const ID = '01900000-0000-7000-8000-000000000001';
const EARLIER = '01900000-0000-7000-8000-000000000000';

/** The results of a golden workflow. */
export interface Played {
  readonly execution: Pick<Execution, 'status' | 'output' | 'error' | 'response'>;
  readonly steps: { path: string; type: string; status: string; output: Json; error: Json; attempt: number }[];
  /** How often each request was made. */
  readonly calls: Record<string, number>;
  /** From the start to the end, in seconds. */
  readonly seconds: number;
  /** Requests of steps whose completion was on record already. */
  readonly repeats: string[];
  /** Writes of the host that may crash. */
  readonly writes: number;
  readonly entries: readonly Entry[];
}

let scripts: SandboxPool | null = null;

/** Ends the threads that scripts ran in. */
export const closeStage = (): Promise<void> => scripts?.close() ?? Promise.resolve();

/** Plays a workflow on one host that may crash, with a second one standing by, until the run has ended. */
export async function play(golden: Golden, crash: CrashPoint | null): Promise<Played> {
  const stage = new Stage(golden);
  stage.open();
  if (golden.retry !== undefined) await stage.playEarlier(golden.retry.http ?? {});
  const played = await stage.play(crash);
  return played;
}

class Stage {
  readonly #world = new World();
  #calls: Record<string, number> = {};
  readonly #repeats: string[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #plan!: PreparedPlan;

  constructor(private readonly golden: Golden) {}

  open(): void {
    const { golden } = this;
    const { models, ...means } = noCapabilities();
    const http = { request: (request: Parameters<typeof models.http.request>[0]) => this.#world.http.request(request) };
    this.#world.means = { ...means, models: { ...models, http }, sandbox: this.#sandbox() };
    for (const [name, value] of Object.entries(golden.secrets ?? {})) this.#world.secrets.set(name, value);
    const custom = new CustomTypes();
    for (const body of golden.custom ?? []) {
      const read = readDefinition(body);
      if (read.kind === 'faults') throw new Error(JSON.stringify(read.faults));
      const { type } = custom.of({ ...read.definition, version: 1 });
      this.#world.more.set(type.type, type);
    }
    for (const [name, document] of Object.entries(golden.others ?? {}))
      this.#world.workflows.set(name, this.#compiled(document));
    this.#plan = this.#compiled(golden.document);
    this.#answerBy(golden.http ?? {});
  }

  /** The run that is to be repeated, in a world of its own. */
  async playEarlier(http: Record<string, Answer | Answer[]>): Promise<void> {
    const world = this.#world;
    this.#answerBy({ ...this.golden.http, ...http });
    const { host } = world.host();
    await host.start();
    await host.begin(world.execution(EARLIER, this.#plan, this.golden.trigger), this.#plan);
    await until(world.clock, () => world.ended(EARLIER));
    await host.stop(0);
    this.#answerBy(this.golden.http ?? {});
    this.#calls = {};
  }

  async play(crash: CrashPoint | null): Promise<Played> {
    const world = this.#world;
    const first = world.host(crash);
    await first.host.start();
    const { trigger, trigger_type: triggerType = 'http', retry } = this.golden;
    const preload = retry === undefined ? null : { executionId: EARLIER, fromStep: retry.from };
    const fresh = world.execution(ID, this.#plan, trigger, { triggerType, resumeFrom: preload });
    let accepted = false;
    void first.host.begin(fresh, this.#plan).then(() => (accepted = true));
    await settle();
    const second = world.host();
    await second.host.start();
    if (!accepted) {
      await until(world.clock, () => accepted || first.connection.dead);
      // A caller without an answer retries; the id makes that safe.
      if (!accepted) void second.host.begin(fresh, this.#plan);
    }
    const acts = [...(this.golden.acts ?? [])];
    await until(
      world.clock,
      async () => {
        while (this.#running.size > 0) {
          await Promise.allSettled(this.#running);
          await settle();
        }
        const due = acts.findIndex((act) => this.#isDue(act));
        if (due >= 0) await this.#do(acts.splice(due, 1)[0] as Act);
        return this.#settled();
      },
      50_000,
    );
    await settle();
    const entries = await this.#entries();
    const rows = rowsOf(this.#plan, entries).filter(({ begun }) => begun !== null);
    return {
      execution: world.row(ID),
      steps: rows.map((row) => {
        const { path, type, status, output, error, attempt } = stepView(
          { ...row, entries: entries.filter(about(row.path)) },
          new Set(),
        );
        return { path, type, status, output, error: error as unknown as Json, attempt };
      }),
      calls: this.#calls,
      seconds: Math.round((((world.row(ID).endedAt ?? 0) - world.row(ID).startedAt) as number) / 1_000),
      repeats: this.#repeats,
      writes: first.connection.writes,
      entries,
    };
  }

  /** Threads take real time: the clock of the stage is stopped until they have answered. */
  #sandbox(): Sandbox {
    return {
      run: (job) => {
        scripts ??= new SandboxPool();
        const running = scripts.lane('golden').run(job);
        this.#running.add(running);
        const over = (): boolean => this.#running.delete(running);
        running.then(over, over);
        return running;
      },
    };
  }

  #compiled(document: WorkflowDocument): PreparedPlan {
    const types = new Map(builtIn);
    for (const { type, version, input, secrets } of this.#world.more.values())
      types.set(type, {
        type,
        version,
        kind: 'work',
        inputSchema: input,
        ...(secrets === undefined ? {} : { secrets }),
      });
    const { errors } = validateDocument(document, { nodeTypes: types });
    if (errors.length > 0) throw new Error(`${this.golden.file}: ${JSON.stringify(errors, null, 1)}`);
    const plan = prepare(compile(document, types));
    this.#world.plans.set(plan.plan.hash, plan);
    return plan;
  }

  #answerBy(http: Record<string, Answer | Answer[]>): void {
    this.#world.http = {
      request: async ({ method, url, body, idempotencyKey }) => {
        const name = `${method} ${url}`;
        const n = (this.#calls[name] = (this.#calls[name] ?? 0) + 1);
        if (idempotencyKey !== undefined && this.#isOnRecord(idempotencyKey)) this.#repeats.push(name);
        const answers = [http[name] ?? []].flat();
        const answer = answers[Math.min(turnOf(body) ?? n, answers.length) - 1];
        if (answer === undefined) throw new Error(`nothing answers ${name}`);
        const { status = 200, headers = { 'content-type': 'application/json' }, body: answered = null } = answer;
        return { status, headers, body: Buffer.from(JSON.stringify(answered)), url };
      },
    };
  }

  /** True when the journal has the completion of the step with this key. */
  #isOnRecord(key: string): boolean {
    const [id, ...path] = key.split('/');
    return this.#world
      .entries(id as string)
      .some((entry) => entry.kind === 'step.completed' && entry.path === path.join('/'));
  }

  #isDue({ when }: Act): boolean {
    const execution = this.#world.db.executions.get(ID);
    if (execution === undefined || execution.status !== 'running') return false;
    if (when === 'started') return true;
    if ('waits' in when) return this.#awaited(when.waits) !== null;
    return this.#world.entries(ID).some((entry) => entry.kind === 'step.completed' && entry.path === when.completed);
  }

  /** The name that the run listens to: a question that a step asks of itself has the number of the attempt behind it. */
  #awaited(wanted: string): string | null {
    const names = this.#world.row(ID).waiting.flatMap(({ name }) => name ?? []);
    return names.find((name) => name === wanted || name.startsWith(`${wanted}#`)) ?? null;
  }

  async #do({ send: asked, data = {}, by }: Act): Promise<void> {
    const send = this.#awaited(asked) ?? asked;
    const id = send === CANCEL || send.startsWith('approve-') ? send : `m-${send}-${JSON.stringify(data)}`;
    await this.#world.send(ID, { id, name: send, data, by: by ?? null });
  }

  #settled(): boolean {
    const { db } = this.#world;
    return (
      this.#world.ended(ID) &&
      [...db.executions.values()].every(({ status, outbox }) => status !== 'running' && outbox.length === 0)
    );
  }

  async #entries(): Promise<Entry[]> {
    const records = (this.#world.db.journals.get(ID) ?? []).toSorted((a, b) => a.n - b.n);
    return decodeEntries(
      records.map(({ json }) => json),
      (hashes) => this.#world.client.runs.getPayloads(ID, hashes),
    );
  }
}

const about =
  (path: string) =>
  (entry: Entry): entry is StepEntry =>
    'path' in entry && entry.path === path;

/** The number of the model's turn: one more than those in the conversation. Null for other requests. */
function turnOf(body: string | Uint8Array | undefined): number | null {
  if (typeof body !== 'string' || !body.includes('"messages"')) return null;
  const { messages } = JSON.parse(body) as { messages: { role: string }[] };
  return 1 + messages.filter(({ role }) => role === 'assistant').length;
}
