import type { JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { paint } from '../terminal';
import { runPath, statusWord, waitingApprovals } from '../watch';
import { objectAt, objectsAt, textAt } from '../workflows';

const PAGE = 1_000;

/** Every step of a run as it is on record: when, what, how long, and what it has said. */
export const logs = command({
  name: 'logs',
  summary: 'Tells what the steps of a run did',
  args: [{ name: 'RUN' }],
  options: { all: { type: 'boolean', help: 'also steps that have not begun' } },
  async run({ args: [id = ''], options, session }) {
    const { out } = session.world;
    for await (const step of stepsOf(session.client, id)) {
      if (step.status === 'pending' && !options.all) continue;
      if (session.json) out.json(step);
      else {
        const took = typeof step.duration_ms === 'number' ? `, ${step.duration_ms} ms` : '';
        const attempt = typeof step.attempt === 'number' && step.attempt > 1 ? `, attempt ${step.attempt}` : '';
        out.line(
          paint('dim', textAt(step, 'started_at') || '-'),
          '  ',
          statusWord(textAt(step, 'status')),
          `  ${textAt(step, 'path')} (${textAt(step, 'type')}${attempt}${took})${said(step)}`,
        );
      }
    }
    return 'ok';
  },
});

/** The message of a `log` step, or of a failure. */
function said(step: JsonObject): string {
  const text =
    textAt(objectAt(step, 'error'), 'message') ||
    (step.type === 'log' ? textAt(objectAt(step, 'output'), 'message') : '');
  return text === '' ? '' : `: ${text}`;
}

async function* stepsOf(client: Client, id: string): AsyncGenerator<JsonObject> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await client.call('GET', `${runPath(id)}/detail?limit=${PAGE}&offset=${offset}`);
    const steps = objectsAt(page, 'steps');
    yield* steps;
    if (steps.length < PAGE) return;
  }
}

/** What waits for people, in the whole tenant. */
export const approvals = command({
  name: 'approvals',
  summary: 'Lists what waits for a decision',
  async run({ session }) {
    const rows = await session.client.list('/api/v1/approvals', PAGE);
    session.answer(rows, () =>
      session.world.out.table(
        ['RUN', 'STEP', 'SINCE', 'WORKFLOW', 'MESSAGE'],
        rows.map((row) =>
          ['execution_id', 'address', 'since', 'workflow_name', 'message'].map((key) => textAt(row, key)),
        ),
      ),
    );
    return 'ok';
  },
});

/** Decides for a step that waits, as who is signed in. */
export const approve = command({
  name: 'approve',
  summary: 'Approves a step that waits, or rejects it',
  args: [{ name: 'RUN' }, { name: 'STEP', optional: true }],
  options: {
    reject: { type: 'boolean', help: 'the answer is no' },
    comment: { type: 'string', value: 'TEXT', help: 'why' },
  },
  notes: ['STEP may be left out where one alone waits.'],
  async run({ args: [id = '', given], options, session }) {
    const step = given ?? onlyOf(id, await waitingApprovals(session, id));
    const data = { approved: !options.reject, ...(options.comment === undefined ? {} : { comment: options.comment }) };
    await session.client.call('POST', `${runPath(id)}/signal`, { signal: `approve-${step}`, data });
    session.answer({ execution_id: id, step_id: step, ...data }, () =>
      session.world.out.line(`${step} of ${id} is ${options.reject ? 'rejected' : 'approved'}`),
    );
    return 'ok';
  },
});

function onlyOf(id: string, waiting: readonly string[]): string {
  const [first] = waiting;
  if (first === undefined) throw new CliError('refused', `no step of ${id} waits for a decision`);
  if (waiting.length > 1) throw new CliError('usage', `several steps wait; name one: ${waiting.join(', ')}`);
  return first;
}
