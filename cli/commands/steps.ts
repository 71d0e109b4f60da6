import type { JsonObject } from '../../lib/json';
import type { Client } from '../client';
import { command } from '../command';
import { CliError } from '../exits';
import { jsonOption } from '../json-option';
import { paint } from '../terminal';
import { runPath, statusWord, waitingApprovals } from '../watch';
import { objectAt, objectsAt, textAt } from '../workflows';

const PAGE = 1_000;

/** Shows the recorded steps of a run: time, type, duration and message. */
export const logs = command({
  name: 'logs',
  summary: 'Shows the steps of a run',
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
          `  ${textAt(step, 'path')} (${textAt(step, 'type')}${attempt}${took})${messageOf(step)}`,
        );
      }
    }
    return 'ok';
  },
});

/** The message of a `log` step, or of a failure. */
function messageOf(step: JsonObject): string {
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

/** Lists pending approvals of the tenant. */
export const approvals = command({
  name: 'approvals',
  summary: 'Lists pending approvals',
  async run({ session }) {
    const rows = await session.client.list('/api/v1/approvals?kind=approval', PAGE);
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

/** Decides an approval as the signed-in user. */
export const approve = command({
  name: 'approve',
  summary: 'Approves or rejects a waiting step',
  args: [{ name: 'RUN' }, { name: 'STEP', optional: true }],
  options: {
    reject: { type: 'boolean', help: 'reject instead of approve' },
    comment: { type: 'string', value: 'TEXT', help: 'why' },
    form: { type: 'string', value: 'JSON', help: 'JSON values for the form of the approval' },
  },
  notes: ['STEP may be omitted if only one step waits.'],
  async run({ args: [id = '', given], options, session }) {
    const step = given ?? onlyOf(id, await waitingApprovals(session, id));
    const data = {
      approved: !options.reject,
      ...(options.comment === undefined ? {} : { comment: options.comment }),
      ...(options.form === undefined ? {} : { form: jsonOption('--form', options.form) }),
    };
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
