import { errorMessage } from '../../lib/errors';
import type { EndedRun } from '../../contracts/alerts';
import type { ServiceContext } from '../../mixins/service';
import { checkedFacts } from './checks';
import type { EndedRuns } from './runs';
import type { NoticeOutbox } from './outbox';
import { countsRuns, covers, isChecked, type Rule } from './rule';
import type { RuleStore } from './rule-store';
import { advance, type Input } from './rules/watch';
import type { Turn, Turns } from './turns';
import { type StoredWatch, type Subject, type WatchStore, watchOf } from './watch-store';

/** How often conditions are checked that ended runs do not decide. */
const CHECK_MS = 15_000;
const MAX_TRIES = 8;
/** A tenant's workflows for which one rule holds at once: more are not looked at. */
const MAX_SUBJECTS = 500;

interface EvaluatorDeps {
  readonly rules: RuleStore;
  readonly watches: WatchStore;
  readonly runs: EndedRuns;
  readonly turns: Turns;
  readonly outbox: NoticeOutbox;
  readonly context: () => ServiceContext;
  readonly now: () => number;
}

/**
 * Evaluates the rules of a tenant. Several processes may do so at once: a watch is changed by compare-and-set, knows the
 * last batch of runs that it has counted, and is stored together with the notices that the change gives.
 */
export class Evaluator {
  constructor(private readonly deps: EvaluatorDeps) {}

  /** One round, after which the tenant is given up. */
  async evaluate(turn: Turn): Promise<void> {
    const { rules, turns, runs, watches, now } = this.deps;
    const tenantId = turn.tenant_id;
    const all = await rules.list(tenantId);
    if (all.length === 0) return turns.retire(turn);
    const counted = await this.#countRuns(turn, all);
    const checks = all.filter(isChecked);
    const checkedAt = turn.checked_at?.getTime() ?? 0;
    // Also where the clock was set back since.
    const isDue = checks.length > 0 && Math.abs(now() - checkedAt) >= CHECK_MS;
    if (isDue) {
      const since = Math.min(checkedAt === 0 ? Infinity : checkedAt, now() - CHECK_MS);
      await turns.checked(turn, now());
      for (const rule of checks) await this.#check(rule, since);
    }
    await this.#lookAt(tenantId, all);
    const next = [
      (await watches.nextAt(tenantId)) ?? Infinity,
      checks.length === 0 ? Infinity : (isDue ? now() : checkedAt) + CHECK_MS,
      counted && (await runs.pending(tenantId)).length > 0 ? now() : Infinity,
    ];
    await turns.release(turn, Math.min(...next), now());
  }

  /** Counts the batch that was begun, or else the runs that wait. True when there may be more. */
  async #countRuns(given: Turn, rules: readonly Rule[]): Promise<boolean> {
    const { runs, turns } = this.deps;
    const tenantId = given.tenant_id;
    let turn: Turn | null = given;
    if (turn.runs.length === 0) {
      const waiting = await runs.pending(tenantId);
      if (waiting.length === 0) return false;
      turn = await turns.beginBatch(turn, waiting);
      if (turn === null) return false;
    }
    const batch = await runs.read(tenantId, turn.runs);
    for (const [workflowId, ended] of byWorkflow(batch)) {
      const subjects = rules
        .filter((rule) => countsRuns(rule) && covers(rule, workflowId))
        .map((rule) => ({ rule, workflowId, workflowName: ended.at(-1)?.workflow_name ?? null }));
      for (const stored of await this.deps.watches.load(tenantId, subjects)) {
        const from = stored.subject.rule.record.counts_from.getTime();
        const counted = ended.filter((run) => run.ended_at >= from);
        await this.#advance(tenantId, stored, { kind: 'runs', batch: turn.batch, runs: counted });
      }
    }
    await runs.counted(tenantId, turn.runs);
    await turns.endBatch(turn);
    return true;
  }

  /** Checks a condition: of the workflows for which it may hold, and of those for which it has held. */
  async #check(rule: Rule, since: number): Promise<void> {
    const { watches, now } = this.deps;
    const context = this.deps.context();
    const tenantId = rule.record.tenant_id;
    try {
      const firing = await watches.firing(tenantId, rule.record._id, MAX_SUBJECTS);
      const ids = firing.flatMap(({ workflow_id }) => workflow_id ?? []);
      const facts = await checkedFacts(context.call, { rule, since, now: now(), firing: ids });
      const subjects = new Map<string, Subject>();
      for (const record of firing)
        subjects.set(record.workflow_id ?? '', {
          rule,
          workflowId: record.workflow_id,
          workflowName: record.workflow_name,
        });
      for (const { workflowId, workflowName } of facts)
        subjects.set(workflowId ?? '', {
          rule,
          workflowId,
          workflowName: workflowName ?? subjects.get(workflowId ?? '')?.workflowName ?? null,
        });
      const byId = new Map(facts.map((each) => [each.workflowId ?? '', each.facts]));
      for (const stored of await watches.load(tenantId, [...subjects.values()]))
        await this.#advance(tenantId, stored, {
          kind: 'facts',
          facts: byId.get(stored.subject.workflowId ?? '') ?? null,
        });
    } catch (fault) {
      // Unknown facts change nothing; the next check comes soon.
      context.log.warn(`Alert ${rule.record._id} of tenant ${tenantId} was not checked: ${errorMessage(fault)}`);
    }
  }

  /** Looks at the watches that are due: notices that a crash left, reminders, and windows that pass. */
  async #lookAt(tenantId: string, rules: readonly Rule[]): Promise<void> {
    const { watches, now } = this.deps;
    const byId = new Map(rules.map((rule) => [rule.record._id, rule]));
    const due = await watches.due(tenantId, now());
    if (due.length === 0) return;
    const gone = await this.#goneAmong(
      tenantId,
      due.flatMap(({ workflow_id }) => workflow_id ?? []),
    );
    for (const record of due) {
      const rule = byId.get(record.rule_id);
      const isStale = rule === undefined || !rule.record.enabled || rule.record.epoch !== record.epoch;
      if (isStale || gone.has(record.workflow_id ?? '')) {
        await watches.remove(tenantId, record);
        continue;
      }
      const subject = { rule, workflowId: record.workflow_id, workflowName: record.workflow_name };
      await this.#advance(tenantId, { subject, watch: watchOf(record), revision: record.revision }, { kind: 'time' });
    }
  }

  /** Those of the workflows that were deleted: nothing will end what holds of them. None while it is not known. */
  async #goneAmong(tenantId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const context = this.deps.context();
    const unique = [...new Set(ids)];
    if (unique.length === 0) return new Set();
    try {
      const { data } = await context.call('workflows.names', { ids: unique }, { asServiceOf: tenantId });
      const known = new Set(data.map(({ id }) => id));
      return new Set(unique.filter((id) => !known.has(id)));
    } catch (fault) {
      context.log.debug(`Workflows of tenant ${tenantId} could not be read: ${errorMessage(fault)}`);
      return new Set();
    }
  }

  /** Stores what follows from an input, with its notices, and then puts these on their way. */
  async #advance(tenantId: string, given: StoredWatch, input: Input): Promise<void> {
    const { watches, outbox, now } = this.deps;
    const context = this.deps.context();
    const { subject } = given;
    let stored = given;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const watch = advance(subject.rule.condition, stored.watch, input, now(), subject.rule.policy);
      const isDue = input.kind === 'time';
      if (watch === stored.watch && watch.outbox.length === 0 && !isDue) return;
      if (watch !== stored.watch || isDue) {
        if (!(await watches.save(tenantId, stored, watch, now()))) {
          stored = await this.#reload(tenantId, subject);
          continue;
        }
        stored = { ...stored, watch, revision: stored.revision + 1 };
      }
      if (watch.outbox.length === 0) return;
      try {
        await outbox.put(subject, watch.outbox);
      } catch (fault) {
        // They are stored, and looked at again.
        context.log.warn(`Notices of alert ${subject.rule.record._id} wait: ${errorMessage(fault)}`);
        return;
      }
      await watches.save(tenantId, stored, { ...watch, outbox: [] }, now());
      return;
    }
    context.log.warn(`The watch of alert ${subject.rule.record._id} is changed too often`);
  }

  async #reload(tenantId: string, subject: Subject): Promise<StoredWatch> {
    const [stored] = await this.deps.watches.load(tenantId, [subject]);
    return stored as StoredWatch;
  }
}

function byWorkflow(runs: readonly EndedRun[]): Map<string, EndedRun[]> {
  const groups = new Map<string, EndedRun[]>();
  for (const run of runs) {
    const group = groups.get(run.workflow_id);
    if (group === undefined) groups.set(run.workflow_id, [run]);
    else group.push(run);
  }
  return groups;
}
