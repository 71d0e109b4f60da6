import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../lib/json';
import { startCommand } from '../support/command-line';
import { buildOnce } from '../support/server';

let folder: string;
beforeAll(() => {
  buildOnce();
  folder = mkdtempSync(join(tmpdir(), 'everstep-workflow-tests-'));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, value: unknown): void =>
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));

/** Writes a workflow and its cases, and runs them. */
async function tested(
  name: string,
  dsl: JsonObject,
  cases: unknown,
  options: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{ exit: number | null; out: string }> {
  write(`${name}.workflow.json`, { name, dsl: { id: name, trigger: { type: 'manual' }, ...dsl } });
  write(`${name}.test.json`, typeof cases === 'string' ? cases : { cases });
  const command = startCommand(['test', join(folder, `${name}.test.json`), ...options], { HOME: folder, ...env });
  const exit = await command.ended;
  return { exit, out: `${command.out()}${command.err()}`.replace(/ \(\d+ ms\)/g, '') };
}

test('a form or an approval in a loop is answered in each pass', async () => {
  const fields = { required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } };
  const loop: JsonObject = {
    id: 'each',
    type: 'while',
    config: { condition: '{{ loop.index < 3 }}' },
    steps: [
      { id: 'page', type: 'wait_for_form', config: { title: 'Size?', fields } },
      { id: 'ask', type: 'approval', config: { message: 'Order {{ steps.page.size }}?' } },
    ],
  };
  const last: JsonObject = {
    id: 'last',
    type: 'set',
    config: { size: '{{ steps.page.size }}', approved: '{{ steps.ask.approved }}' },
  };
  const dsl = { steps: [loop, last] };
  const sizes = [{ size: 1 }, { size: 2 }, { size: 3 }];
  const { exit, out } = await tested('loop', dsl, [
    {
      name: 'answers in order',
      forms: { page: sizes },
      approvals: { ask: [{ approved: true }, { approved: true }, { approved: false }] },
      expect: { output_equals: { size: 3, approved: false }, steps: { ask: { count: 3 } } },
    },
    {
      name: 'one answer for all',
      forms: { page: { size: 7 } },
      approvals: { ask: { approved: true } },
      expect: { output: { size: 7, approved: true }, steps: { page: { count: 3 } } },
    },
    {
      name: 'no third answer',
      forms: { page: sizes.slice(0, 2) },
      approvals: { ask: { approved: true } },
      expect: { status: 'waiting' },
    },
    { name: 'a value that does not fit', forms: { page: { size: 0 } }, expect: { status: 'waiting' } },
  ]);
  expect(out).toContain(
    '✓ answers in order\n  ✓ one answer for all\n  ✓ no third answer\n  ✗ a value that does not fit\n',
  );
  expect(out).toContain('data.size: must be at least 1');
  expect(exit).toBe(1);
}, 120_000);

test('a case with a time of its own waits for nothing, and starts as its schedule would', async () => {
  const dsl: JsonObject = {
    trigger: { type: 'schedule', config: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' } },
    steps: [
      { id: 'nap', type: 'wait', config: { for: '3d' } },
      { id: 'at', type: 'set', config: { for: '{{ trigger.scheduled_for }}', at: '{{ now() }}' } },
    ],
  };
  const output = { for: '2026-03-02T08:00:00.000Z', at: '2026-03-05T08:00:00.000Z' };
  const { exit, out } = await tested('weekly', dsl, [
    { name: 'on a Monday', now: '2026-03-02T09:00:00+01:00', expect: { output_equals: output } },
  ]);
  expect([exit, out.includes('all passed')]).toEqual([0, true]);
}, 120_000);

test('--update writes what runs did, and nothing else, but not in CI unless it is allowed to', async () => {
  const dsl: JsonObject = { steps: [{ id: 'sum', type: 'set', config: { sum: 3, more: true } }] };
  const cases = `{ "cases": [
  { "name": "wrong",
    "expect": { "output": { "sum": 4 },
                "steps":  { "sum": { "output": { "sum": 5 } } } } },
  { "name": "right", "expect": {"output":{"sum":3}} },
  { "name": "of no step", "mocks": { "x": { "output": {} } } } ] }
`;
  const text = (): string => readFileSync(join(folder, 'sum.test.json'), 'utf8');
  const refused = await tested('sum', dsl, cases, ['--update'], { CI: 'true' });
  expect([refused.exit, refused.out.includes('--update-in-ci'), text()]).toEqual([2, true, cases]);
  const { exit, out } = await tested('sum', dsl, cases, ['--update', '--update-in-ci'], { CI: 'true' });
  expect(out).toContain(
    '✓ wrong\n      updated expect.output.sum: 4 → 3\n      updated expect.steps.sum.output.sum: 5 → 3\n  ✓ right\n  ✗ of no step\n',
  );
  expect([exit, text()]).toEqual([1, cases.replace('"sum": 4', '"sum": 3').replace('"sum": 5', '"sum": 3')]);
}, 120_000);
