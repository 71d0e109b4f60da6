/** What a case sends to a run that waits. Keeps which answers are used. */
import type { Json, JsonObject } from '../../lib/json';
import { textAt } from '../workflows';
import type { Answer, TestCase } from './test-file';

/** A signal to a run. */
interface SentSignal {
  readonly signal: string;
  readonly data: Json;
}

/** What does not end by itself. */
const WAITS: ReadonlySet<unknown> = new Set(['approval', 'form', 'signal']);

export class Answers {
  /** How many answers are used, by the kind and name of what they are for. */
  readonly #used = new Map<string, number>();
  readonly #answered = new Set<string>();
  #unanswered: readonly string[] = [];

  constructor(private readonly given: TestCase) {}

  /** Signals for waits that were not seen before. */
  next(waiting: readonly JsonObject[]): SentSignal[] {
    const waits = waiting.filter(({ kind }) => WAITS.has(kind));
    const unanswered: string[] = [];
    const sent = [...identified(waits)].flatMap(([id, wait]) => {
      if (this.#answered.has(id)) return [];
      const answer = this.#answerTo(wait);
      if (answer === null) unanswered.push(titleOf(wait));
      else this.#answered.add(id);
      return answer ?? [];
    });
    // While an answer is on its way, the run may go on.
    this.#unanswered = unanswered.length === waits.length ? unanswered : [];
    return sent;
  }

  /** What the run waits for, when the case has no answer to any of it; empty while it may go on. */
  get unanswered(): readonly string[] {
    return this.#unanswered;
  }

  #answerTo(wait: JsonObject): SentSignal | null {
    const { approvals = {}, forms = {}, signals = [] } = this.given;
    const name = textAt(wait, 'name');
    if (wait.kind === 'signal') {
      const data = this.#take(wait, name, isListed(signals) ? dataOf(signals, name) : member(signals, name));
      return data === null ? null : { signal: name, data };
    }
    const isForm = wait.kind === 'form';
    const step = textAt(wait, 'step_id');
    const data = this.#take(wait, step, member(isForm ? forms : approvals, step));
    return data === null ? null : { signal: isForm ? `form-${name}` : name, data };
  }

  /** The next one of a list, or the only one. */
  #take({ kind }: JsonObject, name: string, answers: Answer | undefined): JsonObject | null {
    if (answers === undefined) return null;
    if (isOne(answers)) return answers;
    const key = `${String(kind)} ${name}`;
    const used = this.#used.get(key) ?? 0;
    this.#used.set(key, used + 1);
    return answers[used] ?? null;
  }
}

/** By ids that stay the same. Several items of a loop may wait for one signal since the same time. */
function identified(waits: readonly JsonObject[]): Map<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const wait of waits) {
    const same = [wait.kind, wait.step_id, wait.name, wait.since].join(' ');
    let count = 0;
    while (found.has(`${same} ${count}`)) count += 1;
    found.set(`${same} ${count}`, wait);
  }
  return found;
}

const isOne = (answers: Answer): answers is JsonObject => !Array.isArray(answers);

type ListedSignals = Extract<NonNullable<TestCase['signals']>, readonly unknown[]>;

const isListed = (signals: NonNullable<TestCase['signals']>): signals is ListedSignals => Array.isArray(signals);

const dataOf = (signals: ListedSignals, name: string): JsonObject[] =>
  signals.flatMap(({ signal, data = {} }) => (signal === name ? [data] : []));

type AnswersByName = Readonly<Record<string, Answer>>;

const member = (answers: AnswersByName, name: string): Answer | undefined =>
  Object.hasOwn(answers, name) ? answers[name] : undefined;

/** For people: what a run waits for. */
const titleOf = (wait: JsonObject): string =>
  wait.kind === 'signal'
    ? `the signal ${textAt(wait, 'name')}`
    : `the ${textAt(wait, 'kind')} ${textAt(wait, 'step_id')}`;
