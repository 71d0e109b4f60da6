import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import { connectors } from '../../../nodes/connectors';
import type { ConnectorCase } from '../../nodes/connectors/connector-case';
import type { Connector } from '../../../nodes/connectors/contract';
import { actionNode } from '../../../nodes/connectors/node';
import { asExpected, inPlace, play } from '../../support/connectors/bench';
import type { JsonSchema } from '../../../nodes/contract';

/** The cases of each connector. Connectors of other protocols than HTTP have a test with a real server instead. */
const ROOT = join(__dirname, '../../nodes/connectors');

const casesOf = ({ name }: Connector): ConnectorCase[] => {
  const file = join(ROOT, `${name}.cases.ts`);
  return existsSync(file) ? (require(file) as { cases: ConnectorCase[] }).cases : [];
};
const subjects = connectors.map((connector) => ({ name: connector.name, connector, cases: casesOf(connector) }));
const isPeered = (name: string): boolean => existsSync(join(__dirname, `${name}.spec.ts`));

const ajv = new Ajv({ strict: true, allErrors: true });
const problems = (schema: JsonSchema, value: unknown): string | null => {
  const validate = ajv.compile(schema);
  return validate(value) ? null : ajv.errorsText(validate.errors);
};

test('there are connectors', () => {
  expect(connectors.length).toBeGreaterThan(0);
});

test.each(subjects)(
  'every action of $name has a case that succeeds, or a test with a real peer',
  ({ name, connector, cases }) => {
    const tried = new Set(cases.filter(({ outcome }) => outcome.kind === 'done').map(({ action }) => action));
    const untried = connector.actions.filter((action) => action.kind === 'http' || !isPeered(name));
    expect(untried.map((action) => action.name).filter((action) => !tried.has(action))).toEqual([]);
  },
);

test.each(
  subjects.flatMap(({ name, connector, cases }) => cases.map((one) => ({ name, title: one.title, connector, one }))),
)('$name: $title', async ({ connector, one }) => {
  const action = connector.actions.find(({ name }) => name === one.action);
  expect([one.action, action === undefined]).toEqual([one.action, false]);
  if (action === undefined) return;
  const node = actionNode(connector, action);
  expect(problems(node.input, one.input)).toBeNull();
  const { outcome, seen, secrets } = await play(connector, one);
  const server = seen[0] === undefined ? '' : `http://${seen[0].headers.host}`;
  const expects = inPlace(one.expects as never, server) as unknown as ConnectorCase['expects'];
  expect(seen.map((request, index) => asExpected(request, expects[index] ?? { method: '', path: '' }))).toEqual(
    expects,
  );
  const wanted = inPlace(one.outcome as never, server) as unknown as ConnectorCase['outcome'];
  expect(outcome).toEqual(
    'error' in wanted
      ? { ...wanted, error: { ...wanted.error, message: expect.stringContaining(wanted.error.message) } }
      : wanted,
  );
  if (outcome.kind === 'done') expect(problems(node.output, outcome.output)).toBeNull();
  if ('error' in outcome)
    for (const secret of secrets.filter((text) => text.length > 3)) expect(outcome.error.message).not.toContain(secret);
});
