import { resolve } from 'node:path';
import { isObject, type JsonObject } from '../../lib/json';
import { command } from '../command';
import { datasetIdOf } from '../datasets';
import { decimal, evaluationPath, exitOf, share, show, statusWord, waitForEnd } from '../evaluations';
import { CliError } from '../exits';
import { limitOption } from '../list-limit';
import type { Session } from '../session';
import { readJson } from '../workflow-file';
import { objectAt, objectsAt, textAt, workflowIdOf } from '../workflows';

const EVALUATION = [{ name: 'EVALUATION' }] as const;

/** Evaluates a workflow over a data set. */
export const run = command({
  name: 'eval run',
  summary: 'Evaluates a workflow over a data set, as a file says',
  args: [{ name: 'FILE' }],
  options: {
    wait: {
      type: 'boolean',
      help: 'waits for the end; exit code 1 when a gate fails or the evaluation does not complete',
    },
    workflow: { type: 'string', value: 'ID|NAME', help: 'instead of `workflow` of the file' },
    dataset: { type: 'string', value: 'ID|NAME', help: 'instead of `dataset` of the file' },
    version: { type: 'string', value: 'VERSION', help: 'live, draft, or the number of a version' },
    name: { type: 'string', value: 'NAME', help: 'what the evaluation is called' },
  },
  notes: [
    'FILE is JSON: {"workflow": "ID|NAME", "dataset": "ID|NAME", "metrics": [...], "gates": [...]}, and further',
    'members of POST /api/v1/evaluations.',
  ],
  async run({ args: [file = ''], options, session }) {
    const { client, world } = session;
    const body = await bodyOf(session, readJson(resolve(world.cwd, file)), options);
    const started = await client.call('POST', '/api/v1/evaluations', body);
    const id = textAt(started, 'id');
    if (!options.wait) {
      session.answer(started, () => world.out.line(id));
      return 'ok';
    }
    if (!session.json) world.out.line('Evaluation ', id);
    const evaluation = await waitForEnd(session, id);
    session.answer(evaluation, () => show(session, evaluation));
    return exitOf(evaluation);
  },
});

type Overrides = Readonly<Record<'workflow' | 'dataset' | 'version' | 'name', string | undefined>>;

/** The request. @throws CliError (usage, not_found) */
async function bodyOf({ client }: Session, file: unknown, given: Overrides): Promise<JsonObject> {
  if (!isObject(file))
    throw new CliError('usage', 'the file must be a JSON object with "workflow", "dataset" and "metrics"');
  const { workflow, dataset, ...rest } = file as JsonObject;
  const version = given.version ?? rest.version;
  return {
    ...rest,
    workflow_id: await workflowIdOf(client, named('workflow', given.workflow ?? workflow)),
    dataset_id: await datasetIdOf(client, named('dataset', given.dataset ?? dataset)),
    ...(version === undefined
      ? {}
      : { version: typeof version === 'string' && /^\d+$/.test(version) ? Number(version) : version }),
    ...(given.name === undefined ? {} : { name: given.name }),
  };
}

function named(what: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new CliError('usage', `the ${what} is missing: give --${what}, or "${what}" in the file`);
}

/** The query of a list. @throws CliError (not_found) */
async function filtersOf(
  client: Session['client'],
  given: Pick<Overrides, 'workflow' | 'dataset'>,
): Promise<URLSearchParams> {
  const query = new URLSearchParams();
  if (given.workflow !== undefined) query.set('workflow_id', await workflowIdOf(client, given.workflow));
  if (given.dataset !== undefined) query.set('dataset_id', await datasetIdOf(client, given.dataset));
  return query;
}

/** Lists evaluations, newest first. */
export const list = command({
  name: 'eval list',
  summary: 'Lists evaluations, newest first',
  options: {
    workflow: { type: 'string', value: 'ID|NAME', help: 'of one workflow' },
    dataset: { type: 'string', value: 'ID|NAME', help: 'over one data set' },
    limit: { type: 'string', value: 'N', help: 'maximum number (20)' },
  },
  async run({ options, session }) {
    const { client, world } = session;
    const limit = limitOption(options.limit);
    const query = await filtersOf(client, options);
    const rows = await client.list(`/api/v1/evaluations?${query}`, limit);
    session.answer(rows, () =>
      world.out.table(
        ['ID', 'STATUS', 'ROWS', 'SCORE', 'BEGAN', 'NAME'],
        rows.map((row) => [
          textAt(row, 'id'),
          statusWord(row),
          `${textAt(objectAt(row, 'progress'), 'done')}/${textAt(objectAt(row, 'progress'), 'total')}`,
          share(objectAt(row, 'summary').score),
          textAt(row, 'created_at'),
          textAt(row, 'name'),
        ]),
      ),
    );
    return 'ok';
  },
});

/** Shows an evaluation, with the exit code of its outcome. */
export const showOne = command({
  name: 'eval show',
  summary: 'Shows the scores of an evaluation; exit code 1 when a gate failed or it did not complete',
  args: EVALUATION,
  async run({ args: [id = ''], session }) {
    const evaluation = await session.client.call('GET', evaluationPath(id));
    session.answer(evaluation, () => show(session, evaluation));
    return exitOf(evaluation);
  },
});

/** Compares two evaluations over the same data set. */
export const compare = command({
  name: 'eval compare',
  summary: 'Compares two evaluations over the same data set',
  args: [{ name: 'A' }, { name: 'B' }],
  async run({ args: [a = '', b = ''], session }) {
    const { client, world } = session;
    const compared = await client.call('GET', `${evaluationPath(a)}/compare/${encodeURIComponent(b)}`);
    session.answer(compared, () => {
      const { out } = world;
      out.table(
        ['METRIC', 'A', 'B', 'DIFFERENCE', '95 % INTERVAL', 'P'],
        objectsAt(compared, 'metrics').map((metric) => [
          textAt(metric, 'name'),
          share(metric.mean_a),
          share(metric.mean_b),
          decimal(metric.difference),
          `${decimal(metric.low)} to ${decimal(metric.high)}`,
          `${decimal(metric.p_scores)}${metric.significant === true ? ' significant' : ''}`,
        ]),
      );
      for (const way of ['better', 'worse'] as const) {
        const moved = objectAt(compared, way);
        out.line(`Rows ${way}: ${textAt(moved, 'total')}`);
        for (const row of objectsAt(moved, 'rows'))
          out.line(`  ${textAt(row, 'row_id')}  ${decimal(row.score_a)} -> ${decimal(row.score_b)}`);
      }
      out.line(`${textAt(compared, 'pairs')} rows compared, ${textAt(compared, 'unpaired')} in one evaluation only`);
    });
    return 'ok';
  },
});

/** Cancels an evaluation and its runs. */
export const cancel = command({
  name: 'eval cancel',
  summary: 'Cancels an evaluation and its runs',
  args: EVALUATION,
  async run({ args: [id = ''], session }) {
    const evaluation = await session.client.call('POST', `${evaluationPath(id)}/cancel`);
    session.answer(evaluation, () => session.world.out.line('The evaluation is being cancelled'));
    return 'ok';
  },
});
