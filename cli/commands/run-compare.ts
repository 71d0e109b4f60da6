import { isObject, type JsonObject } from '../../lib/json';
import { command } from '../command';
import type { Session } from '../session';
import { paint } from '../terminal';
import { runPath, statusWord } from '../watch';
import { objectAt, objectsAt, textAt } from '../workflows';

/** Compares two runs. */
export const compareRuns = command({
  name: 'run compare',
  summary: 'Compares two runs: input, output and steps',
  args: [{ name: 'RUN' }, { name: 'OTHER' }],
  options: { all: { type: 'boolean', help: 'also steps that are the same' } },
  async run({ args: [id = '', other = ''], options, session }) {
    const query = new URLSearchParams({ limit: '200', ...(options.all ? {} : { differences: 'true' }) });
    const path = `${runPath(id)}/compare/${encodeURIComponent(other)}`;
    const first = await session.client.call('GET', `${path}?${query}`);
    const steps = objectsAt(first, 'steps');
    for (let next = first.next_cursor; typeof next === 'string'; ) {
      query.set('cursor', next);
      const window = await session.client.call('GET', `${path}?${query}`);
      steps.push(...objectsAt(window, 'steps'));
      next = window.next_cursor;
    }
    session.answer({ ...first, steps, next_cursor: null }, () => show(session, first, steps));
    return 'ok';
  },
});

function show({ world: { out } }: Session, found: JsonObject, steps: readonly JsonObject[]): void {
  const runs = ['a', 'b'].map((side) => ({ side, run: objectAt(found, side) }));
  out.table(
    ['', 'ID', 'STATUS', 'MS', 'TOKENS', 'COST', 'PLAN'],
    runs.map(({ side, run }) => [
      side,
      textAt(run, 'id'),
      statusWord(textAt(run, 'status')),
      textAt(run, 'duration_ms'),
      textAt(run, 'tokens'),
      textAt(run, 'cost_usd'),
      textAt(run, 'plan_hash').slice(0, 12),
    ]),
  );
  for (const value of ['input', 'output']) showValue(out, '', value, found[value]);
  for (const step of steps) {
    const sides = ['a', 'b'].map((side) => (isObject(step[side]) ? textAt(objectAt(step, side), 'status') : '-'));
    const differs = Array.isArray(step.differs) && step.differs.length > 0 ? `: ${step.differs.join(', ')}` : '';
    out.line(
      paint(step.result === 'same' ? 'dim' : 'bold', textAt(step, 'path')),
      `  ${sides.join(' / ')}  ${textAt(step, 'result').replaceAll('_', ' ')}${differs}`,
    );
    for (const value of ['input', 'output']) showValue(out, '  ', value, step[value]);
  }
  if (steps.length === 0) out.line('The steps are the same');
}

/** The changes of a value; nothing for one that is the same. */
function showValue(out: Session['world']['out'], indent: string, name: string, value: unknown): void {
  if (!isObject(value) || value.same !== false) return;
  out.line(`${indent}${name} differs`);
  for (const change of objectsAt(value as JsonObject, 'changes')) {
    const [a, b] = [change.a, change.b].map((each) => (each === undefined ? '(absent)' : JSON.stringify(each)));
    const path = textAt(change, 'path');
    out.line(`${indent}  ${path === '' ? '(all of it)' : path}: ${a} -> ${b}${change.cut === true ? ' (cut)' : ''}`);
  }
  if (value.more === true) out.line(`${indent}  and more`);
}
