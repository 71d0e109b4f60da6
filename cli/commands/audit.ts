import type { JsonObject } from '../../lib/json';
import { command } from '../command';
import { CliError } from '../exits';
import { objectAt, textAt } from '../workflows';

const DEFAULT_ROWS = 50;
const MAX_ROWS = 100_000;

const filters = {
  actor: { type: 'string', value: 'ID|EMAIL', help: 'by this actor' },
  action: { type: 'string', value: 'ACTION', help: 'such as workflow.update, or workflow. for all about workflows' },
  target: { type: 'string', value: 'ID', help: 'about this target' },
  from: { type: 'string', value: 'TIME', help: 'from this time or day on' },
  to: { type: 'string', value: 'TIME', help: 'until this time or day' },
} as const;

/** Lists events of the audit log. */
export const list = command({
  name: 'audit list',
  summary: 'Lists events of the audit log, newest first, by an admin',
  options: { ...filters, limit: { type: 'string', value: 'N', help: `at most so many; ${DEFAULT_ROWS} unless given` } },
  async run({ session, options: { limit = String(DEFAULT_ROWS), ...given } }) {
    const { client, world } = session;
    const max = Number(limit);
    if (!Number.isInteger(max) || max < 1 || max > MAX_ROWS)
      throw new CliError('usage', `--limit takes a number from 1 to ${MAX_ROWS}`);
    const query = new URLSearchParams(
      Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
    const rows = await client.list(`/api/v1/audit?${query}`, max);
    session.answer(rows, () =>
      world.out.table(
        ['AT', 'BY', 'ACTION', 'TARGET', 'OUTCOME'],
        rows.map((row) => [
          textAt(row, 'at'),
          actorOf(objectAt(row, 'actor')),
          textAt(row, 'action'),
          textAt(objectAt(row, 'target'), 'name') || textAt(objectAt(row, 'target'), 'id'),
          textAt(row, 'outcome'),
        ]),
      ),
    );
    return 'ok';
  },
});

const actorOf = (actor: JsonObject): string => textAt(actor, 'email') || textAt(actor, 'type');

/** Checks the chain of the audit log. */
export const verify = command({
  name: 'audit verify',
  summary: 'Checks that the audit log is as it was written, by an admin',
  options: {
    anchor: { type: 'string', value: 'SEQ:HASH', help: 'an earlier head, which the log must contain' },
  },
  notes: [
    'It prints the head of the log, which is an anchor for later. A fault is printed, and the command ends with 1.',
  ],
  async run({ session, options: { anchor } }) {
    const { client, world } = session;
    let [events, from]: [number, unknown] = [0, 1];
    for (;;) {
      const query = new URLSearchParams({ from_seq: String(from), ...(anchor === undefined ? {} : { anchor }) });
      const verdict = await client.call('GET', `/api/v1/audit/verify?${query}`);
      events += Number(verdict.events);
      if (verdict.first_fault !== undefined) {
        const fault = objectAt(verdict, 'first_fault');
        session.answer({ events, first_fault: fault }, () =>
          world.out.line(`Event ${textAt(fault, 'seq')}: ${textAt(fault, 'message')}`),
        );
        return 'no';
      }
      from = verdict.next_seq;
      if (typeof from === 'number') continue;
      const head = objectAt(verdict, 'head');
      session.answer({ events, head }, () =>
        world.out.line(
          `${events} events are as they were written; head ${textAt(head, 'seq')}:${textAt(head, 'hash')}`,
        ),
      );
      return 'ok';
    }
  },
});
